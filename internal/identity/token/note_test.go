package token

import (
	"crypto/ed25519"
	"strings"
	"testing"
	"time"
)

func TestNote(t *testing.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	mine, theirs := NewSigner(key), NewSigner(other)
	ring := &Keyring{}
	if err := ring.Put(mine.KeyID(), mine.Public()); err != nil {
		t.Fatal(err)
	}
	note, err := mine.Note("a purpose", []byte(`{"what":"it says"}`))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := ring.OpenNote("a purpose", note); err != nil || string(body) != `{"what":"it says"}` {
		t.Errorf("OpenNote = %s, %v", body, err)
	}
	foreign, err := theirs.Note("a purpose", []byte(`{"what":"it says"}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]struct{ purpose, text string }{
		"another purpose":   {"another", note},
		"a confirm token's": {string(purpose), note},
		"changed":           {"a purpose", strings.Replace(note, ".public.", ".public.A", 1)},
		"a foreign key":     {"a purpose", foreign},
		"nothing":           {"a purpose", ""},
		"too long":          {"a purpose", note + strings.Repeat("A", MaxLength)},
		"no note":           {"a purpose", "v4.public.e30"},
	} {
		if body, err := ring.OpenNote(bad.purpose, bad.text); err == nil {
			t.Errorf("%s: OpenNote = %s, want a refusal", name, body)
		}
	}
	// A note is no confirm token, whatever it says.
	if _, err := ring.Verify(note, time.Now()); err == nil {
		t.Error("a note was taken for a confirm token")
	}
	if _, err := mine.Note("a purpose", []byte("not an object")); err == nil {
		t.Error("a note of something else than JSON was made")
	}
}
