// Queries that the npm package differential-privacy makes private, that checkrr can audit: the
// argument names one. The package draws from the system, so that seeds are ignored.
"use strict";
const readline = require("readline");
const { sum, mean, privately } = require("./library.js");

const queries = { sum, mean };

async function main() {
  const query = queries[process.argv[2]];
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const outputs = [];
    for (let i = 0; i < request.n; i++) outputs.push(await privately(query, request.input));
    process.stdout.write(JSON.stringify({ id: request.id, outputs }) + "\n");
  }
}

main();
