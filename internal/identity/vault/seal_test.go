package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"testing"
)

func newKeys(t *testing.T, more ...string) (*Keys, string) {
	t.Helper()
	text, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range more {
		text += "\n" + line
	}
	k, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k, text
}

var here = Place{Tenant: "acme", User: "ann", Service: "openai", Label: "default"}

func TestSealAndUnseal(t *testing.T) {
	t.Parallel()
	keys, _ := newKeys(t)
	secrets := map[string]string{"api_key": "canary-1", "password": ""}
	sealed, err := Seal(t.Context(), keys, here, []byte("clear"), secrets)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(sealed)
	if bytes.Contains(text, []byte("canary-1")) {
		t.Errorf("the value is in the stored bytes: %s", text)
	}
	got, err := Unseal(t.Context(), keys, here, []byte("clear"), sealed)
	if err != nil || !maps.Equal(got, secrets) {
		t.Errorf("Unseal = %v, %v, want %v", got, err, secrets)
	}
	again, err := Seal(t.Context(), keys, here, []byte("clear"), secrets)
	if err != nil || bytes.Equal(again.Values["api_key"], sealed.Values["api_key"]) || bytes.Equal(again.Key.Data, sealed.Key.Data) {
		t.Errorf("the same secret is encrypted to the same bytes twice: %v", err)
	}
}

// Nobody without the master key can move a ciphertext, or change what it is used with.
func TestNothingCanBeMoved(t *testing.T) {
	t.Parallel()
	keys, _ := newKeys(t)
	sealed, err := Seal(t.Context(), keys, here, []byte("clear"), map[string]string{"a": "1", "b": "2"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Seal(t.Context(), keys, here, []byte("clear"), map[string]string{"a": "3"})
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(s *Sealed)) Sealed {
		s := Sealed{Key: sealed.Key, Values: maps.Clone(sealed.Values)}
		change(&s)
		return s
	}
	for name, tt := range map[string]struct {
		at    Place
		clear string
		s     Sealed
	}{
		"another tenant":   {Place{"beta", "ann", "openai", "default"}, "clear", sealed},
		"another person":   {Place{"acme", "bob", "openai", "default"}, "clear", sealed},
		"the tenant":       {Place{"acme", "", "openai", "default"}, "clear", sealed},
		"another service":  {Place{"acme", "ann", "http", "default"}, "clear", sealed},
		"another label":    {Place{"acme", "ann", "openai", "work"}, "clear", sealed},
		"joined names":     {Place{"acme", "annopenai", "", "default"}, "clear", sealed},
		"another clear":    {here, "clear with another address", sealed},
		"swapped fields":   {here, "clear", with(func(s *Sealed) { s.Values["a"], s.Values["b"] = s.Values["b"], s.Values["a"] })},
		"no proof":         {here, "clear", with(func(s *Sealed) { delete(s.Values, "") })},
		"another data key": {here, "clear", with(func(s *Sealed) { s.Key = other.Key })},
		"another value":    {here, "clear", with(func(s *Sealed) { s.Values["a"] = other.Values["a"] })},
		"a changed byte":   {here, "clear", with(func(s *Sealed) { s.Values["a"] = append([]byte{s.Values["a"][0] ^ 1}, s.Values["a"][1:]...) })},
		"a short value":    {here, "clear", with(func(s *Sealed) { s.Values["a"] = []byte{1} })},
		"an empty key":     {here, "clear", with(func(s *Sealed) { s.Key.Data = nil })},
	} {
		if got, err := Unseal(t.Context(), keys, tt.at, []byte(tt.clear), tt.s); !errors.Is(err, ErrDamaged) || got != nil {
			t.Errorf("%s: Unseal = %v, %v, want %v", name, got, err, ErrDamaged)
		}
	}
}

func TestOtherMasterKeys(t *testing.T) {
	t.Parallel()
	keys, text := newKeys(t)
	sealed, err := Seal(t.Context(), keys, here, nil, map[string]string{"a": "1"})
	if err != nil {
		t.Fatal(err)
	}
	wrong, _ := newKeys(t)
	var missing *MissingKeyError
	if _, err := Unseal(t.Context(), wrong, here, nil, sealed); !errors.As(err, &missing) || missing.KeyID != sealed.Key.KeyID {
		t.Errorf("with another key: %v", err)
	}
	if _, err := Unseal(t.Context(), None{}, here, nil, sealed); !errors.Is(err, ErrNoKey) {
		t.Errorf("without a key: %v", err)
	}
	next, _ := newKeys(t, text)
	rewrapped, changed, err := Rewrap(t.Context(), next, here, sealed)
	current, _ := next.Current(context.Background())
	if err != nil || !changed || rewrapped.Key.KeyID != current {
		t.Fatalf("Rewrap = %v, %v, %v", rewrapped.Key.KeyID, changed, err)
	}
	if _, changed, err := Rewrap(t.Context(), next, here, rewrapped); err != nil || changed {
		t.Errorf("Rewrap again = %v, %v", changed, err)
	}
	for _, s := range []Sealed{sealed, rewrapped} {
		if got, err := Unseal(t.Context(), next, here, nil, s); err != nil || got["a"] != "1" {
			t.Errorf("Unseal = %v, %v", got, err)
		}
	}
	if _, err := Unseal(t.Context(), keys, here, nil, rewrapped); !errors.As(err, &missing) {
		t.Errorf("the old key still decrypts: %v", err)
	}
}
