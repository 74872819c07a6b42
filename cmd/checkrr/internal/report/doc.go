// Package report writes what people and programs read: intervals as decimals that are rounded outward,
// tables, JSON, JUnit, plots, a bar of progress.
package report
