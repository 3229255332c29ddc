package services

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// TestDialed tests an entry of a service that is no HTTP: its server is dialed, and what it
// says is shown without the secret.
func TestDialed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.Set(t.Context(), at("", "mail", "default"),
		protocol.ServiceSet{Fields: fields("host", `"mail.example"`, "password", `"canary-1"`)}, "tester", granted); err != nil {
		t.Fatal(err)
	}
	r, _ := w.reader(w.Keys, nil)
	queuetest.Until(t, "the entry", func() bool {
		entries, err := r.For("acme", "").Entries(t.Context(), "mail")
		return err == nil && len(entries) == 1
	})
	for _, tt := range []struct {
		code int
		err  error
		want protocol.ServiceTested
	}{
		{250, nil, protocol.ServiceTested{OK: true, Status: 250, Message: "mail.example accepted the account"}},
		{535, tool.Fail(tool.NotConfigured, "it refused canary-1"), protocol.ServiceTested{Status: 535, Message: "it refused …"}},
	} {
		dial := func(ctx context.Context, by string, secrets tool.Secrets, e tool.ServiceEntry) (int, error) {
			if _, bounded := ctx.Deadline(); by != "smtp" || secrets == nil || e.Data["password"] != "canary-1" || !e.Shared || !bounded {
				t.Errorf("dialed by %s with %v, bounded %v", by, e, bounded)
			}
			return tt.code, tt.err
		}
		if got, err := r.Test(t.Context(), nil, dial, "acme", "", "mail", "default"); err != nil || got != tt.want {
			t.Errorf("Test = %+v, %v, want %+v", got, err, tt.want)
		}
	}
}

// TestSharedIsTestedByAdmins: a person is not shown the address of an entry that is not theirs.
func TestSharedIsTestedByAdmins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.Set(t.Context(), at("", "mail", "default"),
		protocol.ServiceSet{Fields: fields("host", `"mail.example"`, "password", `"canary-1"`)}, "tester", granted); err != nil {
		t.Fatal(err)
	}
	r, _ := w.reader(w.Keys, nil)
	queuetest.Until(t, "the entry", func() bool {
		entries, err := r.For("acme", "ann").Entries(t.Context(), "mail")
		return err == nil && len(entries) == 1
	})
	dial := func(context.Context, string, tool.Secrets, tool.ServiceEntry) (int, error) {
		t.Error("the server of the entry was dialed")
		return 0, nil
	}
	got, err := r.Test(t.Context(), nil, dial, "acme", "ann", "mail", "default")
	if e := tool.AsError(err); e == nil || e.Kind != tool.NotFound || strings.Contains(e.Msg+got.Message, "mail.example") {
		t.Errorf("Test = %+v, %v, want not_found", got, err)
	}
}

// TestMailMoves: a secret is not sent to another server than that it was given for.
func TestMailMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := func(merge bool, pairs ...string) error {
		_, err := w.Set(t.Context(), at("", "mail", "default"), protocol.ServiceSet{Merge: merge, Fields: fields(pairs...)}, "tester", granted)
		return err
	}
	if err := set(false, "host", `"mail.example"`, "password", `"canary-1"`); err != nil {
		t.Fatal(err)
	}
	for field, value := range map[string]string{"host": `"thief.example"`, "port": "2525"} {
		if err := set(true, field, value); err == nil || !strings.Contains(err.Error(), "must be given again") {
			t.Errorf("%s: error %v, want a refusal", field, err)
		}
	}
	if err := set(true, "from", `"ann@example.com"`); err != nil {
		t.Errorf("another field: %v", err)
	}
	if err := set(true, "host", `"new.example"`, "password", `"canary-2"`); err != nil {
		t.Errorf("with the password: %v", err)
	}
}

// failing is a way out that repeats what it was given.
type failing struct{ text string }

func (f failing) Do(*http.Request) (*http.Response, error) {
	return nil, tool.Fail(tool.NetworkError, "%s", f.text)
}

// TestTrialHidesStored: what was secret when an entry was stored is not shown by its test,
// though the schema of the test has it as a plain field.
func TestTrialHidesStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := protocol.ServiceSet{Type: typeCustom, Fields: fields("base_url", `"https://mine.example"`, "user", `"canary-1"`)}
	if _, err := w.Set(t.Context(), at("ann", "mine", "default"), set, "ann", granted); err != nil {
		t.Fatal(err)
	}
	r, _ := w.reader(w.Keys, nil)
	queuetest.Until(t, "the entry", func() bool {
		entries, err := r.For("acme", "ann").Entries(t.Context(), "mine")
		return err == nil && len(entries) == 1
	})
	got, err := r.Test(t.Context(), failing{"no way for canary-1"}, nil, "acme", "ann", "mine", "default")
	if want := "no way for …"; err != nil || got.Message != want {
		t.Errorf("Test = %+v, %v, want %s", got, err, want)
	}
}
