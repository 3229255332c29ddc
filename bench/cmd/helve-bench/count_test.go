package main

import "testing"

func TestCount(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1500": 1500, "100k": 100_000, "10M": 10_000_000} {
		n := -1
		if err := (count{&n}).Set(text); err != nil || n != want {
			t.Errorf("Set(%q) = %d, %v, want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "k", "-1", "1.5M", "10G", "9999999999999999999", "5000M"} {
		n := 7
		if err := (count{&n}).Set(text); err == nil || n != 7 {
			t.Errorf("Set(%q) = %d, %v, want an error", text, n, err)
		}
	}
}
