package bounded

import (
	"github.com/helve-dev/helve/tool"
)

// MaxText is the length of the longest text that a tool makes from a shorter one, in
// bytes.
const MaxText = 4 << 20

// TooMuch returns the error of a tool whose result would exceed MaxText.
func TooMuch() error {
	return tool.Fail(tool.ValidationError, "The outcome would be longer than %d bytes: send a shorter text or ask for less.", MaxText)
}
