package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
)

// mailID matches the Message-ID of a mail that Helve sent.
var mailID = regexp.MustCompile(`<[0-9a-f]{32}@helve\.internal>`)

// postOffice is an SMTP server that counts what it takes, by Message-ID, and is slow enough
// that workers die with mails under way.
type postOffice struct {
	*mailtest.SMTP

	services string // the operator's file with the account
	took     chan struct{}

	mu    sync.Mutex
	mails map[string]int
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	a := mailtest.NewAuthority(t, "127.0.0.1")
	p := &postOffice{SMTP: mailtest.NewSMTP(t, a, false), took: make(chan struct{}, 10_000), mails: map[string]int{}}
	p.Took = func(m mailtest.Mail) error {
		p.mu.Lock()
		p.mails[mailID.FindString(m.Text)]++
		p.mu.Unlock()
		p.took <- struct{}{}
		<-time.After(20 * time.Millisecond) // to answer
		return nil
	}
	entry, err := json.Marshal([]any{map[string]any{"service": "smtp", "data": map[string]string{
		"host": p.Host, "port": p.Port, "user": mailtest.User, "password": mailtest.Password, "from": mailtest.User, "ca": a.PEM,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	p.services = filepath.Join(t.TempDir(), "services.yaml")
	if err := os.WriteFile(p.services, entry, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *postOffice) times(id string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mails[id]
}

// TestMailsSentOnce sends mails while one worker after the other is killed. None is sent
// twice; each call ends in success and its mail is there, or in outcome_unknown with the
// Message-ID by which the mail can be searched for.
func TestMailsSentOnce(t *testing.T) {
	t.Parallel()
	// Each kill may lose as many mails as a worker has slots; enough are left to wait for.
	mails, kills, between := 100, 6, 8
	if atNight() {
		mails, kills, between = 1000, 30, 20
	}
	w, office := newWorld(t), newPostOffice(t)
	env := []string{"HELVE_PROFILE=auto", "HELVE_GROUPS=email=on", "HELVE_SERVICES_FILE=" + office.services, "HELVE_WORKER_SLOTS=3"}
	workers := []*process{w.worker(env...), w.worker(env...)}
	d := w.dispatcher("HELVE_PROFILE=auto", "HELVE_GROUPS=email=on")
	var calls []*call
	for i := range mails {
		calls = append(calls, w.call(defaultTenant, fmt.Sprintf("mail-%d", i), "send_email", map[string]any{
			"to": []string{fmt.Sprintf("ben%d@example.net", i)}, "subject": fmt.Sprint(i), "body": "x",
		}))
	}
	for some := range slices.Chunk(calls, 50) {
		if a := d.execute(0, some...); a.status != 200 {
			t.Fatalf("the mails were answered %+v", a)
		}
	}
	for range kills {
		for range between {
			select {
			case <-office.took:
			case <-time.After(patience()):
				t.Fatal("the server takes no more mails")
			}
		}
		workers[0].kill()
		workers = append(workers[1:], w.worker(env...))
	}
	unknown := 0
	for _, c := range calls {
		e := d.settle(t, c)
		switch e.outcome() {
		case "success":
			var sent struct{ MessageID string }
			if err := json.Unmarshal(e.Result, &sent); err != nil {
				t.Fatal(err)
			}
			if n := office.times(sent.MessageID); n != 1 {
				t.Errorf("%s succeeded, and its mail was sent %d times", c.ID, n)
			}
		case "outcome_unknown":
			unknown++
			id := mailID.FindString(e.Message)
			if id == "" || !strings.Contains(e.Message, "search_emails") {
				t.Errorf("%s: the message %q does not say how to find the mail", c.ID, e.Message)
			}
			if n := office.times(id); n > 1 {
				t.Errorf("%s is unknown, and its mail was sent %d times", c.ID, n)
			}
		default:
			t.Errorf("%s ended in %s (%s), want success or outcome_unknown", c.ID, e.outcome(), e.Message)
		}
	}
	if unknown == 0 {
		t.Error("no call was interrupted: this is no test of it")
	}
	office.mu.Lock()
	for id, n := range office.mails {
		if n > 1 || id == "" {
			t.Errorf("the mail %q was sent %d times", id, n)
		}
	}
	office.mu.Unlock()
	w.settled(d)
}
