package ledger

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readWhole reads what a state was written as. If a key is missing or there twice, that is an error, and the state is
// as before.
func readWhole[T any](text jsontext.Value, state *T, options json.Options) error {
	var read T
	if err := json.Unmarshal(text, &read, options); err != nil {
		return err
	}
	whole, err := json.Marshal(read)
	if err == nil {
		err = checkKeys(text, whole, "")
	}
	if err == nil {
		*state = read
	}
	return err
}

// checkKeys returns an error if an object, whose keys begin so, has not all keys of another one, or nothing for a key.
func checkKeys(text, whole jsontext.Value, prefix string) error {
	var has, must map[string]jsontext.Value
	if whole.Kind() != '{' {
		return nil
	}
	if err := cmp.Or(json.Unmarshal(text, &has), json.Unmarshal(whole, &must)); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(has)) {
		if has[key].Kind() == 'n' {
			return fmt.Errorf("%s%s is null", prefix, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(must)) {
		if has[key] == nil {
			return fmt.Errorf("%s%s is missing", prefix, key)
		}
		if err := checkKeys(has[key], must[key], prefix+key+"."); err != nil {
			return err
		}
	}
	return nil
}
