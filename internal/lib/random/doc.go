// Package random draws unpredictable numbers and texts.
//
// All bits come from crypto/rand and every outcome is equally likely. There is no seed,
// so no result can be repeated.
package random
