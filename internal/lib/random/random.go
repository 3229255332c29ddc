package random

import (
	"crypto/rand"
	"encoding/binary"
	"math/big"
)

// Below draws a number from 0 to n-1, each equally likely. Results are unpredictable,
// because even a toy may later be used for a raffle.
func Below(n int) int {
	return int(BelowBig(big.NewInt(int64(n))).Int64())
}

// BelowBig draws a number from 0 to n-1.
func BelowBig(n *big.Int) *big.Int {
	drawn, err := rand.Int(rand.Reader, n)
	if err != nil {
		panic(err) // crypto/rand itself ends the program rather than fail
	}
	return drawn
}

// Unit draws a fraction of 53 bits from 0 up to, but not including, 1.
func Unit() float64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // never happens, as above
	}
	const bits = 53
	return float64(binary.BigEndian.Uint64(b[:])>>(64-bits)) / (1 << bits)
}

// Text draws length characters of an alphabet.
func Text(alphabet []rune, length int) string {
	out := make([]rune, length)
	for i := range out {
		out[i] = alphabet[Below(len(alphabet))]
	}
	return string(out)
}

// Count limits a count to its bounds; nil means fallback.
func Count(n *int, fallback, most int) int {
	if n == nil {
		return fallback
	}
	return min(max(*n, 1), most)
}
