// Counts what refutes claims about the npm package differential-privacy: node hand.js NAME
"use strict";
const { sum, mean, privately } = require("./library.js");

const N = 10000;

async function count(event, query, numbers) {
  let hits = 0;
  for (let i = 0; i < N; i++) if (event(await privately(query, numbers))) hits++;
  return hits;
}

async function counts(said, event, query, x, x2) {
  console.log(`${said}: ${await count(event, query, x)} of ${N} against ${await count(event, query, x2)}`);
}

const hands = {
  "version": () => {
    const { name, version } = require("differential-privacy/package.json");
    console.log(`${name} ${version} of npm, Node ${process.version}`);
  },
  "sum": () => counts("exactly 0", (y) => y === 0, sum, [0, 0], [0, 0, 1]),
  "sum-equal": () => counts("exactly 3", (y) => y === 3, sum, [1, 1, 1], [1, 1, 1, 1]),
  "mean": () => counts("exactly 1/2", (y) => y === 0.5, mean, [0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.6]),
  "sum-scaled": () => counts("at most 1.5", (y) => y <= 1.5, sum, [0, 1], [0, 1, 1]),
};

(hands[process.argv[2]] || (() => {}))();
