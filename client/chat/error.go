package chat

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/lib/textcut"
)

// errSilent ends the context of a request to a provider that sends nothing.
var errSilent = errors.New("the provider sends nothing")

func silent(limit time.Duration) error {
	return &client.ModelError{Temporary: true, Msg: fmt.Sprintf("it sent nothing for %v; ask again", limit), Cause: errSilent}
}

// unreachable returns the error for a request that got no answer.
func unreachable(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the URL, which the caller knows
	}
	return &client.ModelError{
		Temporary: true,
		Msg:       fmt.Sprintf("it cannot be reached (%v); check the network and the base URL, or ask again later", err),
		Cause:     err,
	}
}

// lost returns the error for an answer that cannot be read to its end.
func lost(err error) error {
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return &client.ModelError{Msg: fmt.Sprintf("a line of its answer is longer than %d MiB; ask for less", longestEvent>>20), Cause: err}
	case errors.Is(err, errTooLong):
		return &client.ModelError{Msg: fmt.Sprintf("its answer is longer than %d MiB; ask for less", longestAnswer>>20), Cause: err}
	}
	return &client.ModelError{Temporary: true, Msg: fmt.Sprintf("its answer broke off (%v); ask again", err), Cause: err}
}

// cut returns the error for a stream that ended before its answer did.
func cut() error {
	return &client.ModelError{Temporary: true, Msg: "its answer broke off before its end; ask again"}
}

// malformed returns the error for an answer that is not in the provider's format.
func malformed(what string, err error) error {
	return &client.ModelError{Msg: what + "; check that the base URL is one of an API of this provider's kind", Cause: err}
}

func misplaced(what string) error {
	return &client.ModelError{Msg: what + "; check the base URL"}
}

// temporary reports whether a request that got status may succeed later. Anthropic uses
// 529 for an overload.
func temporary(status int) bool {
	switch status {
	case 408, 409, 429, 500, 502, 503, 504, 529:
		return true
	}
	return false
}

// retryAfter parses a Retry-After header: seconds, or a time.
func retryAfter(text string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// longestMessage bounds the message of an error, in bytes.
const longestMessage = 800

// discreet makes an error fit to be shown: without the key, without control characters
// and not too long.
func (m *model) discreet(err error) error {
	e, ok := errors.AsType[*client.ModelError](err)
	if !ok {
		return err
	}
	shown := *e
	if key := m.o.Key; key != "" {
		shown.Msg = strings.ReplaceAll(shown.Msg, key, "[key]")
		if shown.Cause != nil && strings.Contains(shown.Cause.Error(), key) {
			shown.Cause = nil
		}
	}
	shown.Msg = textcut.Clip(shown.Msg, longestMessage) // after the key was removed: cutting first could leave half of it
	shown.Msg = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, shown.Msg)
	return &shown
}
