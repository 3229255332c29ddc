package identity

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// newEntry makes a key and the text of its entry, with lines of its own.
func newEntry(lines ...string) (key, text string) {
	key, id, hash := NewKey()
	return key, fmt.Sprintf("- id: %s\n  hash: %s\n  tenant: t\n  roles: [agent]\n", id, hash) + indent(lines)
}

// keysIn opens a key file that holds text, until the test ends or stop.
func keysIn(t *testing.T, text string) (k *Authenticator, path string, logs *observer.ObservedLogs, stop func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "keys.yaml")
	write(t, path, text)
	core, logs := observer.New(zapcore.DebugLevel)
	ctx, stop := context.WithCancel(t.Context())
	k, err := New(ctx, Options{KeysFile: path, Log: zap.New(core)})
	if err != nil {
		t.Fatal(err)
	}
	return k, path, logs, stop
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantFailure checks the status and the sentence, and that no part of the
// credential is in it.
func wantFailure(t *testing.T, what string, p Principal, err error, status int, msg, credential string) {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) || f.Status != status || !strings.Contains(f.Msg, msg) || p.Tenant != "" || p.Roles != nil {
		t.Errorf("%s: %+v, %v, want a Failure of %d with %q", what, p, err, status, msg)
	}
	if err != nil && len(credential) > 20 && strings.Contains(err.Error(), credential[len(credential)-20:]) {
		t.Errorf("%s: the error shows the credential: %v", what, err)
	}
}

func TestAPIKeys(t *testing.T) {
	good, goodText := newEntry("user: u", "name: mine")
	stranger, _ := newEntry()
	disabled, disabledText := newEntry("disabled: true")
	expired, expiredText := newEntry("expires: 2020-01-01T00:00:00Z")
	later, laterText := newEntry("expires: 2999-01-01T00:00:00Z")
	a, _, logs, stop := keysIn(t, goodText+disabledText+expiredText+laterText)
	defer stop()

	p, err := a.Identify(t.Context(), "Bearer "+good)
	if err != nil || p.Tenant != "t" || p.User != "u" || p.Name != "mine" || !p.Has(Agent) || p.Open {
		t.Errorf("a good key: %+v, %v", p, err)
	}
	for _, form := range []string{"bearer " + good, "BEARER   " + good, "Bearer " + later} {
		if _, err := a.Identify(t.Context(), form); err != nil {
			t.Errorf("%.10q…: %v", form, err)
		}
	}
	_, otherSecret, _ := splitKey(stranger)
	for what, tt := range map[string]struct{ header, want string }{
		"none":                {"", "Authorization: Bearer"},
		"no scheme":           {good, "must be Bearer"},
		"another scheme":      {"Basic " + good, "must be Bearer"},
		"nothing after it":    {"Bearer ", "must be Bearer"},
		"two":                 {"Bearer " + good + ", Bearer " + good, "not valid"},
		"very long":           {"Bearer hk_" + strings.Repeat("a", maxCredential), "must be Bearer"},
		"an unknown id":       {"Bearer " + stranger, "not valid"},
		"another's secret":    {"Bearer " + good[:16] + otherSecret, "not valid"},
		"a cut key":           {"Bearer " + good[:len(good)-1], "not valid"},
		"no secret":           {"Bearer " + good[:16], "not valid"},
		"upper case":          {"Bearer hk_" + strings.ToUpper(good[3:]), "not valid"},
		"disabled":            {"Bearer " + disabled, "disabled"},
		"disabled, bad":       {"Bearer " + disabled[:16] + otherSecret, "not valid"},
		"expired":             {"Bearer " + expired, "expired"},
		"expired, bad":        {"Bearer " + expired[:16] + otherSecret, "not valid"},
		"a token, not taken":  {"Bearer a.b.c", "of that kind"},
		"the hash, not a key": {"Bearer " + someHash, "of that kind"},
	} {
		p, err := a.Identify(t.Context(), tt.header)
		wantFailure(t, what, p, err, 401, tt.want, tt.header)
	}
	for _, entry := range logs.All() {
		if strings.Contains(fmt.Sprint(entry.Message, entry.ContextMap()), "hk_") {
			t.Errorf("the log shows a key: %v", entry)
		}
	}
}

func TestKeysExpireWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, text := newEntry("expires: " + time.Now().Add(time.Hour).Format(time.RFC3339))
		a, _, _, stop := keysIn(t, text)
		defer stop()
		if _, err := a.Identify(t.Context(), "Bearer "+key); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		p, err := a.Identify(t.Context(), "Bearer "+key)
		wantFailure(t, "an hour later", p, err, 401, "expired", key)
	})
}

func TestKeysFollowTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, firstText := newEntry()
		second, secondText := newEntry()
		a, path, logs, stop := keysIn(t, firstText)
		defer stop()
		counts := func(what string, want ...string) {
			t.Helper()
			time.Sleep(lookEvery)
			synctest.Wait()
			for name, key := range map[string]string{"first": first, "second": second} {
				_, err := a.Identify(t.Context(), "Bearer "+key)
				if counted := strings.Contains(strings.Join(want, " "), name); (err == nil) != counted {
					t.Errorf("%s: the %s key: %v, want that it counts: %v", what, name, err, counted)
				}
			}
		}
		failures := func(what string, want int) {
			t.Helper()
			if got := logs.FilterLevelExact(zapcore.ErrorLevel).Len(); got != want {
				t.Errorf("%s: %d errors are logged, want %d: %v", what, got, want, logs.All())
			}
		}
		counts("at first", "first")
		write(t, path, firstText+secondText)
		counts("a key more", "first", "second")
		write(t, path, secondText)
		counts("a key less", "second")
		failures("good files", 0)

		write(t, path, "nonsense")
		counts("a bad file", "second")
		counts("a bad file still", "second")
		failures("a bad file", 1)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		counts("no file", "second")
		counts("no file still", "second")
		failures("no file", 2)
		write(t, path, "")
		counts("a file being written", "second")
		failures("a file being written", 3)
		write(t, path, firstText)
		counts("a good file again", "first")
		failures("a good file again", 3)
		write(t, path, "[]")
		counts("no keys")
	})
}

// TestRefusedKeysAreCounted: a change of the file that cannot be used is counted once.
func TestRefusedKeysAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, text := newEntry()
		path := filepath.Join(t.TempDir(), "keys.yaml")
		write(t, path, text)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		refused := 0
		if _, err := New(ctx, Options{KeysFile: path, Refused: func() { refused++ }}); err != nil {
			t.Fatal(err)
		}
		write(t, path, "broken")
		time.Sleep(3 * lookEvery)
		synctest.Wait()
		if refused != 1 {
			t.Errorf("a broken file was counted %d times, want once", refused)
		}
	})
}

func TestBadKeyFileAtStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.yaml")
	if _, err := New(t.Context(), Options{KeysFile: path}); err == nil || !strings.Contains(err.Error(), "auth.keys_file "+path) {
		t.Errorf("New without the file: %v, want its setting and path", err)
	}
	write(t, path, entryText("secret: x"))
	if _, err := New(t.Context(), Options{KeysFile: path}); err == nil || !strings.Contains(err.Error(), "entry 1 at line 1") {
		t.Errorf("New with a bad file: %v, want the entry", err)
	}
	write(t, path, entryText()+strings.Repeat("#\n", maxKeyFile/2))
	if _, err := New(t.Context(), Options{KeysFile: path}); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("New with a file without end: %v", err)
	}
}

func TestOff(t *testing.T) {
	t.Parallel()
	var none *Authenticator
	a, err := New(t.Context(), Options{})
	if err != nil || a.On() || none.On() {
		t.Errorf("an authenticator without keys and issuer is on, or: %v", err)
	}
	key, _ := newEntry()
	p, err := a.Identify(t.Context(), "Bearer "+key)
	wantFailure(t, "a key while off", p, err, 401, "of that kind", key)
}
