package people

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/accounts/oauth/oauthtest"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// command runs a command of helve on a system. Its output is passed on line by line.
func command(t *testing.T, s *system.System, lines chan<- string, args ...string) (code int, out string) {
	t.Helper()
	return commandWith(t, s, strings.NewReader(""), lines, args...)
}

// commandWith is command with a standard input.
func commandWith(t *testing.T, s *system.System, stdin io.Reader, lines chan<- string, args ...string) (code int, out string) {
	t.Helper()
	var text strings.Builder
	w := writer(func(p []byte) {
		text.Write(p)
		if lines != nil {
			lines <- string(p)
		}
	})
	code = cli.Run(system.Context(t), append(args, "--server", s.URLs[0]), stdin, w, w, &cobra.Command{Use: "config"})
	return code, text.String()
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// TestTerminal: a person connects an account by a code that a terminal prints.
func TestTerminal(t *testing.T) {
	t.Parallel()
	s := launchCloud(t, system.Plan{Dispatchers: 2}, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour, Interval: 1, Codes: []string{"authorization_pending", "slow_down"}})
	d := s.HTTP(0)
	register(t, d, cloud, oauthtest.Body(p.Discovered()))
	e, asked := waiting(t, d, "ann", `{"tool": "cloud_read"}`)
	code, out := command(t, s, nil, "config", "connect", cloud, "--user", "ann")
	if code != 0 || !strings.Contains(out, "enter the code WDJB-MJHT") || !strings.Contains(out, p.URL+"/enter") ||
		!strings.Contains(out, cloud+": the account is connected for ann") {
		t.Errorf("config connect = %d %s", code, out)
	}
	used(t, done(t, d, e.CallID))
	if got := consentOf(t, d, "ann", asked.ID); got.Status != "granted" {
		t.Errorf("the consent is %+v", got)
	}
	p.Set(func(b *oauthtest.Behaviour) { b.Codes = []string{"access_denied"} })
	if code, out := command(t, s, nil, "config", "connect", cloud, "--user", "bob"); code != 1 || !strings.Contains(out, "it was denied") {
		t.Errorf("a denied code = %d %s", code, out)
	}
	for _, step := range []struct {
		args string
		code int
		want string
	}{
		{"config get " + cloud + " --user ann", 0, "access_token=(secret, set)"},
		{"config test " + cloud + " --user ann", 0, "accepted the request: 200 OK"},
		{"config test " + cloud, 0, "/v1/connect/callback"},
		{"config test " + cloud + " --user bob", 1, "helve config connect acmecloud --user bob"},
		{"config connect nothing --user ann", 1, "Helve is not registered at nothing"},
		{"config connect openai --user ann", 1, "the service openai has no accounts of persons"},
		{"config connect " + cloud, 1, "set user"},
		{"config unset " + cloud + " --user ann", 0, "is deleted"},
		{"config unset " + cloud + " --user ann", 1, "there is no entry"},
		{"config services google", 0, "client_secret"},
	} {
		code, out := command(t, s, nil, strings.Fields(step.args)...)
		if code != step.code || !strings.Contains(out, step.want) {
			t.Errorf("helve %s: %d %s, want %d %q", step.args, code, out, step.code, step.want)
		}
	}
	if p.Requests("/revoke", "") == 0 || p.Tokens() != 0 {
		t.Errorf("%d requests to revoke tokens, %d tokens left", p.Requests("/revoke", ""), p.Tokens())
	}
}

// TestTerminalLink: for a provider without codes the terminal prints a link, which works in
// one browser without a credential: the person confirms the code which that browser shows.
func TestTerminalLink(t *testing.T) {
	t.Parallel()
	s, k := guarded(t, 1)
	p := oauthtest.New(t, oauthtest.Behaviour{Life: time.Hour})
	register(t, k.door(t, s, "root"), cloud, oauthtest.Body(p.Fields()))
	ann := k.door(t, s, "ann")
	begin := func() string {
		t.Helper()
		r := ann.Ask(t, "default", "services.connect", map[string]string{"service": cloud, "label": "default"}, "{}")
		if r.Status != 200 {
			t.Fatalf("services.connect = %d %s", r.Status, r.Body)
		}
		return system.Decode[struct {
			URL string `json:"connect_url"`
		}](t, r).URL
	}
	link := begin()
	for _, name := range []string{"bob", "root"} {
		if status, _ := newBrowser(t, s, k[name]).step(t, link); status != 404 {
			t.Errorf("ann's link as %s = %d", name, status)
		}
	}
	own := newBrowser(t, s, "")
	_, page := own.step(t, link)
	if status, _ := newBrowser(t, s, "").step(t, link); status != 404 {
		t.Errorf("ann's link in another browser = %d", status)
	}
	_, back := own.step(t, page)
	if status, _ := newBrowser(t, s, "").step(t, back); status != 401 {
		t.Errorf("ann's answer in another browser = %d", status)
	}
	if status, _ := own.step(t, back); status != 200 {
		t.Errorf("ann's answer = %d", status)
	}
	if e := call(t, ann, "ann", `{"tool": "cloud_read"}`); e.State != "awaiting_consent" {
		t.Errorf("before the code of the browser is confirmed: %v", e)
	}

	lines := make(chan string, 100)
	ended := make(chan int, 1)
	typed, keyboard := io.Pipe()
	go func() {
		code, _ := commandWith(t, s, typed, lines, "config", "connect", cloud, "--token", k["bob"])
		ended <- code
	}()
	text := system.Receive(t, "the link", lines)
	at, rest, ok := strings.Cut(text, s.URLs[0])
	if id, _, _ := strings.Cut(rest, " "); !ok || !strings.Contains(at, "open ") {
		t.Fatalf("helve config connect prints %s", text)
	} else if status, page := newBrowser(t, s, "").read(t, s.URLs[0]+id); status != http.StatusOK {
		t.Errorf("the link of the terminal = %d", status)
	} else {
		code := regexp.MustCompile(`<h1>([A-Z2-7]{4}-[A-Z2-7]{4})</h1>`).FindStringSubmatch(page)
		if code == nil {
			t.Fatalf("the page is %s", page)
		}
		_, _ = io.WriteString(keyboard, "WRONG\n"+code[1]+"\n")
	}
	if code := system.Receive(t, "the end of helve config connect", ended); code != 0 {
		t.Errorf("helve config connect = %d", code)
	}
	used(t, call(t, k.door(t, s, "bob"), "bob", `{"tool": "cloud_read"}`))
	// Of many links of one person the oldest end.
	first := begin()
	for range 8 {
		begin()
	}
	if status, _ := newBrowser(t, s, "").step(t, first); status != 404 {
		t.Errorf("the ninth last link = %d", status)
	}
}
