package redact

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// TestText: a secret is removed in each form in which a server may repeat it, and nothing
// else is.
func TestText(t *testing.T) {
	t.Parallel()
	const secret = `hunter"2/ä x`
	var s Secrets
	s.Add(map[string]string{"host": "mail.example.com", "user": "ann", "Password": secret, "api_key": "a", "apiToken": " tok-1 "})
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for _, form := range []string{
		secret, `hunter\"2/ä x`, "hunter%222%2F%C3%A4+x", b64(secret), b64("\x00ann\x00" + secret), b64("ann:" + secret), "tok-1",
		b64("user=ann\x01auth=Bearer tok-1\x01\x01"),
	} {
		if got := s.Text("535 no <" + form + "> for ann"); got != "535 no <"+Mark+"> for ann" {
			t.Errorf("%q is shown as %q", form, got)
		}
	}
	if got := s.Text("abc ann mail.example.com"); got != "abc ann mail.example.com" {
		t.Errorf("what is no secret is shown as %q", got)
	}
	var none Secrets
	if got := none.Text("x"); got != "x" {
		t.Errorf("without secrets: %q", got)
	}
}

// TestError: an error keeps what it wraps until it is only shown.
func TestError(t *testing.T) {
	t.Parallel()
	var s Secrets
	s.Add(map[string]string{"token": "hunter2"})
	err := fmt.Errorf("said hunter2: %w", io.EOF)
	shown := s.Error(err)
	if shown.Error() != "said …: EOF" || !errors.Is(shown, io.EOF) {
		t.Errorf("Error = %v", shown)
	}
	if last := s.Last(err); last.Error() != "said …: EOF" || errors.Is(last, io.EOF) || strings.Contains(fmt.Sprintf("%#v", last), "hunter2") {
		t.Errorf("Last = %#v", last)
	}
	if last := s.Last(&fs.PathError{Op: "open"}); last.Error() != "an error that cannot be printed" {
		t.Errorf("an error that panics is %v", last)
	}
	if other := errors.New("other"); s.Error(other) != other || s.Last(other) != other || s.Error(nil) != nil || s.Last(nil) != nil {
		t.Error("an error without a secret is changed")
	}
}
