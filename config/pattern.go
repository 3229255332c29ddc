package config

import (
	"regexp"
	"sync"
)

// pattern compiles a regular expression when it is first asked for: this package is set
// up in every process of the program, also in one that reads no configuration.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
