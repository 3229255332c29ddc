package config

import (
	"errors"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Problem is one error in a configuration. [Load] and [Config.Validate] join one for
// each.
type Problem struct {
	// Path is the key, such as worker.slots; empty if a whole file is wrong.
	Path string
	// From is the source: a file, a variable or a flag. Empty is the default.
	From string
	// Text describes the error and the allowed values. It contains no password.
	Text string
}

// Error returns the problem in one line.
func (p *Problem) Error() string {
	switch {
	case p.Path == "":
		return p.From + ": " + p.Text
	case p.From == "":
		return p.Path + ": " + p.Text
	default:
		return p.Path + ": " + p.Text + " (set by " + p.From + ")"
	}
}

func join(problems []*Problem) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// longestShown keeps a value that is a whole file by mistake out of the log.
const longestShown = 80

// show quotes a value for a problem, without passwords.
func show(value string) string {
	if strings.Contains(value, "@") {
		value = maskURLs(value)
	}
	return strconv.Quote(textcut.Clip(value, longestShown))
}
