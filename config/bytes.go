package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a size in bytes. It is written as a number, or as a whole number of
// KiB, MiB, GiB or TiB.
type Bytes int64

var units = []struct {
	name string
	size Bytes
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// String writes b in the largest unit that divides it.
func (b Bytes) String() string {
	for _, u := range units {
		if b != 0 && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// ParseBytes parses the output of [Bytes.String]. It accepts only binary units, because
// MB could mean 1000 or 1024.
func ParseBytes(s string) (Bytes, error) {
	digits, size := strings.TrimSpace(s), Bytes(1)
	for _, u := range units {
		if d, ok := strings.CutSuffix(digits, u.name); ok {
			digits, size = strings.TrimSpace(d), u.size
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64/int64(size) || n < math.MinInt64/int64(size) {
		return 0, fmt.Errorf("want bytes, or a number with KiB, MiB, GiB or TiB")
	}
	return Bytes(n) * size, nil
}
