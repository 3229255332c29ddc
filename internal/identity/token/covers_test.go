package token

import (
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

func use() Use {
	return Use{Tenant: "acme", User: "ann", TraceID: trace, Tool: "delete_file", ArgsHash: digest, CallID: "c-1", High: true}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	if err := claims().Covers(use()); err != nil {
		t.Fatalf("what was approved is refused: %v", err)
	}
	other := use()
	other.Tool = "files.move"
	if err := claims().Covers(other); err != nil {
		t.Errorf("the second tool of the token is refused: %v", err)
	}
	for what, tt := range map[string]struct {
		spoil   func(*Use)
		binding string
	}{
		"another tenant":       {func(u *Use) { u.Tenant = "other" }, Tenant},
		"no tenant":            {func(u *Use) { u.Tenant = "" }, Tenant},
		"another user":         {func(u *Use) { u.User = "bob" }, User},
		"a user in other case": {func(u *Use) { u.User = "Ann" }, User},
		"no user":              {func(u *Use) { u.User = "" }, User},
		"another trace":        {func(u *Use) { u.TraceID = "f" + trace[1:] }, TraceID},
		"another tool":         {func(u *Use) { u.Tool = "delete_all" }, Tool},
		"part of a tool":       {func(u *Use) { u.Tool = "delete" }, Tool},
		"a longer tool":        {func(u *Use) { u.Tool = "delete_file_2" }, Tool},
		"no tool":              {func(u *Use) { u.Tool = "" }, Tool},
		"changed arguments":    {func(u *Use) { u.ArgsHash = "sha256:ff" + digest[9:] }, Arguments},
		"no hash":              {func(u *Use) { u.ArgsHash = "" }, Arguments},
		"another call":         {func(u *Use) { u.CallID = "c-2" }, Call},
		"no call":              {func(u *Use) { u.CallID = "" }, Call},
	} {
		u := use()
		tt.spoil(&u)
		wantRefusal(t, what, claims().Covers(u), tt.binding)
	}
	if err := (Claims{}).Covers(Use{}); err == nil {
		t.Error("claims that say nothing cover a use")
	}
}

func TestCoversUnbound(t *testing.T) {
	t.Parallel()
	plan := claims()
	plan.ArgsHash, plan.CallID = "", ""
	u := use()
	u.ArgsHash, u.CallID = "sha256:ff"+digest[9:], "c-9"
	if err := plan.Covers(u); err != nil {
		t.Errorf("a token for a plan refuses one of its calls: %v", err)
	}
}

func TestCoversHighRisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scopes  *tool.Scopes
		refused bool
	}{
		{nil, true},
		{&tool.Scopes{}, true}, // restricts nothing, so it is not explicit
		{&tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}}, true},
		{&tool.Scopes{Paths: []string{"workspace"}}, false},
		{&tool.Scopes{Hosts: []string{"example.com"}}, false},
		{&tool.Scopes{Apps: []string{"org.example.*"}}, false},
	} {
		c, u := claims(), use()
		c.Scopes = tt.scopes
		if err := c.Covers(u); tt.refused {
			wantRefusal(t, "high risk", err, Scopes)
		} else if err != nil {
			t.Errorf("high risk with %v: %v", *tt.scopes, err)
		}
		u.High = false
		if err := c.Covers(u); err != nil {
			t.Errorf("medium risk with %v: %v", tt.scopes, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	k, good := ring(f, seeded(0)), mint(f, seeded(0), claims())
	f.Add(good)
	f.Add("v4.public." + good)
	f.Add(signed(f, seeded(0), `{}`, footerOf(seeded(0)), purpose))
	f.Add("v4.local.AAAA.e30")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := k.Verify(text, noon)
		if err == nil && text != good {
			t.Errorf("accepted %q as %v", text, c)
		}
		if err != nil && c.ID != "" {
			t.Errorf("claims %v beside the refusal %v", c, err)
		}
	})
}

// Keys come and go while tokens are read.
func TestKeyringConcurrently(t *testing.T) {
	t.Parallel()
	k, text, pub := ring(t, seeded(0)), mint(t, seeded(0), claims()), public(seeded(1))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				if err := k.Put(KeyID(pub), pub); err != nil {
					t.Error(err)
				}
				k.Remove(KeyID(pub))
				if _, err := k.Verify(text, noon); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkMint(b *testing.B) {
	signer, c := NewSigner(seeded(0)), claims()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := signer.Mint(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	k, text, now := ring(b, seeded(0)), mint(b, seeded(0), claims()), noon.Add(time.Second)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Verify(text, now); err != nil {
			b.Fatal(err)
		}
	}
}
