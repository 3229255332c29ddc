// Package keep keeps calls with their arguments and results for longer than the stream of
// results does, and finds them again.
//
// A [Keeper] gets the results that the pump of the trail reads, and so costs the way of a call
// nothing. Each second it packs up to 500 of them, those of a person into a block, without the
// secrets in arguments, encrypted with the master key where there is one, and stores it.
//
// It promises that a call is kept once its place was reached and noted: a keeper that dies is
// followed by another, which begins at that note, so that results of the last second are read again.
// It does not promise a call whose result expired in between, or that its bound has dropped.
// Large results are kept without their value.
package keep
