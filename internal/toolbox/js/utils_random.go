package js

import (
	"crypto/rand"
	"math/big"

	"github.com/dop251/goja"
)

// maxSafe is Number.MAX_SAFE_INTEGER.
const maxSafe = 1<<53 - 1

// randomRow holds the functions with random results, all from the system's secure
// source.
var randomRow = row{"randomInt": randomInt}

// randomInt returns a whole number from min to max, both included.
func randomInt(u use) goja.Value {
	least := u.whole(0, "min", -maxSafe, maxSafe)
	most := u.whole(1, "max", -maxSafe, maxSafe)
	if least > most {
		u.refusef("min is larger than max")
	}
	return u.value(least + below(most-least+1))
}

// randomBelow returns a whole number from 0 to one below argument 0.
func randomBelow(u use) goja.Value { return u.value(below(u.whole(0, "n", 1, maxSafe))) }

func below(n int64) int64 {
	v, err := rand.Int(rand.Reader, big.NewInt(n))
	if err != nil {
		panic(err) // the system's source does not fail
	}
	return v.Int64()
}
