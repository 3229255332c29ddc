// Package sample reads lists of numbers and computes sums, means, quantiles and
// deviations.
//
// Results are exact if they have finitely many decimals, and otherwise rounded as
// documented. The number of entries is limited; entries that are not numbers are
// reported, not silently dropped.
package sample
