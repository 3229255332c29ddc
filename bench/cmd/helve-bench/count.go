package main

import (
	"fmt"
	"strconv"
	"strings"
)

// count is a number of calls, such as 1500, 100k or 10M.
type count struct{ n *int }

// String implements pflag.Value.
func (c count) String() string {
	if c.n == nil {
		return "0"
	}
	return strconv.Itoa(*c.n)
}

// Set implements pflag.Value.
func (c count) Set(text string) error {
	digits, times := text, 1
	for suffix, factor := range map[string]int{"k": 1_000, "M": 1_000_000} {
		if before, ok := strings.CutSuffix(text, suffix); ok {
			digits, times = before, factor
		}
	}
	const most = 1_000_000_000
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > most/times {
		return fmt.Errorf("a number is digits, k and M for thousands and millions, at most %d, not %q", most, text)
	}
	*c.n = n * times
	return nil
}

// Type implements pflag.Value.
func (c count) Type() string { return "N" }
