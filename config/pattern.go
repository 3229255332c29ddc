package config

import (
	"regexp"
	"sync"
)

// pattern compiles a regular expression on first use: this package is initialized in
// every process of the program, even in those that read no configuration.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
