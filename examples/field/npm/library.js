// The npm package differential-privacy. It assigns to global.crypto, which cannot be written
// in Node 20: there it must be made writable before the package is loaded.
"use strict";
Object.defineProperty(globalThis, "crypto", { value: require("crypto"), writable: true, configurable: true });
const { privatize, newArrayView } = require("differential-privacy");

const EPSILON = 1;

// The sum and the mean of a data set, as the package's README writes such functions.
function sum(view) {
  let total = 0;
  view.forEach((element) => { total += element; });
  return total;
}

function mean(view) {
  let [total, count] = [0, 0];
  view.forEach((element) => { total += element; count++; });
  return total / count;
}

// The result of the function on the list of numbers, made private by the package.
async function privately(sensitive, numbers) {
  const data = newArrayView(numbers);
  const protectedOne = privatize(sensitive, { maxEpsilon: EPSILON, newShadowIterator: data.newShadowIterator });
  return (await protectedOne(data)).result;
}

module.exports = { sum, mean, privately };
