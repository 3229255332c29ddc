package queuetest

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Noticed returns the time within which docs/cluster.md promises that a stream or consumer is
// noticed that was deleted or altered. It reads the page from a package of internal/bus.
func Noticed(t testing.TB) time.Duration {
	t.Helper()
	page, err := os.ReadFile("../../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "Helve notices that within ")
	number, _, _ := strings.Cut(rest, " seconds")
	seconds, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds) * time.Second
}
