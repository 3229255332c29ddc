// Package units finds units of measurement by symbol, name or composition and converts
// between them exactly.
//
// Factors are fractions, so a conversion there and back returns the same value. An
// ambiguous name fails with its possible meanings instead of being guessed. Currencies
// are not units.
package units
