package utilities

import (
	"crypto/rand"
	"encoding/binary"
	"math/big"
)

// randomBelow draws a number from 0 up to, but without, n, each with the same
// chance. Nothing drawn here can be foretold: what looks like a toy today is
// somebody's raffle tomorrow.
func randomBelow(n int) int {
	return int(randomBig(big.NewInt(int64(n))).Int64())
}

func randomBig(n *big.Int) *big.Int {
	drawn, err := rand.Int(rand.Reader, n)
	if err != nil {
		panic(err) // crypto/rand itself ends the program rather than fail
	}
	return drawn
}

// randomUnit draws a fraction from 0 up to, but without, 1, of 53 bits.
func randomUnit() float64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // never happens, as above
	}
	const bits = 53
	return float64(binary.BigEndian.Uint64(b[:])>>(64-bits)) / (1 << bits)
}

// randomText draws length characters of an alphabet.
func randomText(alphabet []rune, length int) string {
	out := make([]rune, length)
	for i := range out {
		out[i] = alphabet[randomBelow(len(alphabet))]
	}
	return string(out)
}

// boundedCount brings a count into its bounds; nil means fallback.
func boundedCount(n *int, fallback, most int) int {
	if n == nil {
		return fallback
	}
	return min(max(*n, 1), most)
}
