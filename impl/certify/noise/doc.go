// Package noise has the laws of mechanisms whose losses are on no lattice: those with noise, and those that are given
// by their losses. It puts them on nodes, for package certify: as a law that dominates the mechanisms, and as one
// that they dominate. Like that package it is trusted, and imports nothing but the standard library and num.
//
// What certify needs of a mechanism is [Continuous]; [Law] is the law of many together.
package noise
