import doctest
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["python/README.md", "docs/guide/python.md"])
def test_examples(page, tmp_path, monkeypatch):
    """The Python on a page, from its first block to its last, prints what stands there, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", (TOP / page).read_text(encoding="utf-8"), re.M | re.S)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0
