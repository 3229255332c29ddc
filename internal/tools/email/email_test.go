package email

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"go.uber.org/goleak"

	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGolden(t *testing.T) { tooltest.Golden(t, Set) }

// noon is the time of the mails in these tests.
var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// world is an SMTP and an IMAP server, and calls of a person whose tenant has their entries.
type world struct {
	t       *testing.T
	smtp    *mailtest.SMTP
	imap    *mailtest.IMAP
	secrets mailtest.Secrets
	// accounts, if set, replaces access tokens in secrets.
	accounts *mailtest.Accounts
	files    tooltest.Files
	guard    *netguard.Guard
}

func newWorld(t *testing.T) *world {
	t.Helper()
	a := mailtest.NewAuthority(t, "127.0.0.1")
	w := &world{t: t, smtp: mailtest.NewSMTP(t, a, false), imap: mailtest.NewIMAP(t, a, true), files: tooltest.Files{}}
	w.secrets = mailtest.Secrets{
		"smtp": {
			mailtest.Entry("host", w.smtp.Host, "port", w.smtp.Port, "user", mailtest.User, "password", mailtest.Password, "from",
				"Ann <ann@example.com>", "ca", a.PEM),
		},
		"imap": {
			mailtest.Entry("host", w.imap.Host, "port", w.imap.Port, "user", mailtest.User, "password", mailtest.Password, "tls", "tls",
				"ca", a.PEM),
		},
	}
	var err error
	if w.guard, err = netguard.New(netguard.Options{}); err != nil { // which lets through only the entries' addresses
		t.Fatal(err)
	}
	t.Cleanup(w.guard.Close)
	return w
}

func (w *world) call() tool.Call {
	call := tool.Call{User: "ann", Dialer: w.guard.Dialer(tool.Scopes{Hosts: []string{"*"}}), Secrets: w.secrets, Files: w.files}
	if w.accounts != nil {
		call.Secrets = w.accounts
	}
	return call
}

// play makes a call that must succeed, and decodes its result.
func (w *world) play(name, args string, res any) tool.Result {
	w.t.Helper()
	out, err := w.try(name, args)
	if err != nil {
		w.t.Fatalf("%s(%s): %v", name, args, err)
	}
	if err := json.Unmarshal(out.Value, res); err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) try(name, args string) (tool.Result, error) {
	w.t.Helper()
	for _, tl := range Set.Tools() {
		if tl.Name == name {
			return tooltest.Play(w.t.Context(), tl, w.call(), args)
		}
	}
	w.t.Fatalf("no tool %s", name)
	return tool.Result{}, nil
}

func letter(subject, body string, fields ...string) string {
	return "From: Ben <ben@example.net>\nTo: ann@example.com\nSubject: " + subject + "\nDate: Mon, 23 Nov 2026 10:00:00 +0100\n" +
		strings.Join(fields, "") + "\n" + body + "\n"
}

// first returns the id of the newest mail of a folder.
func (w *world) first(folder string) string {
	w.t.Helper()
	var res listed
	w.play("list_emails", `{"folder":"`+folder+`"}`, &res)
	if len(res.Emails) == 0 {
		w.t.Fatalf("%s is empty", folder)
	}
	return res.Emails[0].ID
}

// TestNotConfigured calls each tool without the entries it needs, with an entry that is
// refused, and with a person's own entry of an internal address.
func TestNotConfigured(t *testing.T) {
	for name, args := range map[string]string{
		"send_email": `{"to":["ben@example.net"],"subject":"s","body":"b"}`, "list_emails": `{}`, "search_emails": `{"query":"x"}`,
		"read_email": `{"emailId":"fkzuPPL9p1wAAAABAAAAKg"}`, "delete_email": `{"emailId":"fkzuPPL9p1wAAAABAAAAKg"}`,
		"reply_email": `{"emailId":"fkzuPPL9p1wAAAABAAAAKg","body":"b"}`,
	} {
		service := "imap"
		if name == "send_email" {
			service = "smtp"
		}
		w := newWorld(t)
		entry := w.secrets[service][0]
		fails := func(what string, e *tool.ServiceEntry, want tool.Kind, message string) {
			t.Helper()
			delete(w.secrets, service)
			if e != nil {
				w.secrets[service] = []tool.ServiceEntry{*e}
			}
			_, err := w.try(name, args)
			if got := tool.AsError(err); got == nil || got.Kind != want || !strings.Contains(got.Msg, message) {
				t.Errorf("%s, %s: error %v, want %s with %q", name, what, err, want, message)
			}
		}
		with := func(field, value string) *tool.ServiceEntry {
			e := entry
			e.Data = map[string]string{}
			for k, v := range entry.Data {
				e.Data[k] = v
			}
			e.Data[field] = value
			return &e
		}
		own := entry
		own.Shared = false
		fails("no entry", nil, tool.NotConfigured, "Set it: helve config set "+service)
		fails("wrong password", with("password", "wrong"), tool.NotConfigured, "helve config set "+service)
		fails("password without TLS", with("tls", "none"), tool.NotConfigured, "helve config set "+service+" tls=starttls")
		fails("account to be connected", with("account", "waits"), tool.ConfirmationRequired, mailtest.ErrWaits.Msg)
		fails("a person's own entry", &own, tool.PermissionDenied, "")
	}
}

// check returns the error of a tool's Check alone, before a person is asked.
func (w *world) check(name, args string) error {
	w.t.Helper()
	for _, tl := range Set.Tools() {
		if tl.Name == name {
			inv, err := tl.Bind(json.RawMessage(args))
			if err != nil {
				w.t.Fatal(err)
			}
			call := tool.Call{Tenant: "default", User: "ann", Secrets: w.secrets}
			return inv.Check(context.Background(), &call)
		}
	}
	return nil
}

// What is wrong without looking at a server is found before a person is asked.
func TestChecks(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		name, args string
		want       tool.Kind
	}{
		{"send_email", `{"to":["x"],"subject":"s","body":"b"}`, tool.ValidationError},
		{"send_email", `{"to":["a@example.com"],"subject":"s\nBcc: x","body":"b"}`, tool.ValidationError},
		{"send_email", `{"to":["a@example.com"],"subject":"s","body":"b","attachments":["/etc/passwd"]}`, tool.PathNotAllowed},
		{"reply_email", `{"emailId":"nonsense","body":"b"}`, tool.NotFound},
		{"read_email", `{"emailId":"nonsense"}`, tool.NotFound},
		{"read_email", `{"emailId":"fkzuPPL9p1wAAAABAAAAKg","attachmentDir":"../x"}`, tool.PathNotAllowed},
		{"delete_email", `{"emailId":"nonsense"}`, tool.NotFound},
		{"list_emails", `{"since":"yesterday"}`, tool.ValidationError},
		{"search_emails", `{"query":" "}`, tool.ValidationError},
	} {
		if err := tool.AsError(w.check(tt.name, tt.args)); err == nil || err.Kind != tt.want {
			t.Errorf("%s(%s): %v, want %s", tt.name, tt.args, err, tt.want)
		}
	}
}

func TestUncertain(t *testing.T) {
	for _, tl := range Set.Tools() {
		args := json.RawMessage(`{"emailId":"x","body":"b","to":["a@example.com"],"subject":"s","query":"q"}`)
		inv, err := tl.Bind(args)
		if err != nil {
			t.Fatal(err)
		}
		sends := slices.Contains([]string{"send_email", "reply_email"}, tl.Name)
		if sends != (inv.Uncertain != nil) {
			t.Errorf("%s: Uncertain is set: %v", tl.Name, inv.Uncertain != nil)
		}
		if sends {
			if how := inv.Uncertain(&tool.Call{Tenant: "default", ID: "call-1"}); !strings.Contains(how, "@helve.internal>") ||
				!strings.Contains(how, "search_emails") {
				t.Errorf("%s: %q", tl.Name, how)
			}
		}
	}
}

func TestLists(t *testing.T) {
	w := newWorld(t)
	w.imap.Put("INBOX", letter("one", "alpha"), noon)
	w.imap.Put("INBOX", letter("two", "beta"), noon.AddDate(0, 0, 1), imap.FlagSeen, imap.FlagFlagged)
	w.imap.Put("Archive", letter("old", "alpha"), noon.AddDate(0, 0, -9), imap.FlagSeen)
	titles := func(l listed) string {
		var all []string
		for _, e := range l.Emails {
			all = append(all, e.Subject)
		}
		return strings.Join(all, ",")
	}
	for _, tt := range []struct {
		name, args, want string
		total            int
		truncated        bool
	}{
		{"list_emails", `{}`, "two,one", 2, false},
		{"list_emails", `{"limit":1}`, "two", 2, true},
		{"list_emails", `{"unreadOnly":true}`, "one", 1, false},
		{"list_emails", `{"since":"2026-11-24T09:00:00Z"}`, "two", 1, false},
		{"list_emails", `{"before":"2026-11-24"}`, "one", 1, false},
		{"list_emails", `{"from":"nobody"}`, "", 0, false},
		{"list_emails", `{"folder":"Archive"}`, "old", 1, false},
		{"list_emails", `{"subject":"tw"}`, "two", 1, false},
		{"search_emails", `{"query":"alpha"}`, "one,old", 2, false},
		{"search_emails", `{"query":"alpha","folder":"all","limit":1}`, "one", 2, true},
		{"search_emails", `{"query":"alpha","folder":"INBOX"}`, "one", 1, false},
		{"search_emails", `{"query":"example.net","isStarred":true}`, "two", 1, false},
		{"search_emails", `{"query":"example.net","hasAttachment":true}`, "", 0, false},
	} {
		var res listed
		out := w.play(tt.name, tt.args, &res)
		if titles(res) != tt.want || res.Total != tt.total || res.Truncated != tt.truncated || res.Count != len(res.Emails) || res.Message == "" {
			t.Errorf("%s(%s): %s, want %q of %d", tt.name, tt.args, out.Value, tt.want, tt.total)
		}
		if res.Count > 0 != (len(out.Notes) > 0 && out.Notes[0] == outward.Untrusted) {
			t.Errorf("%s(%s): notes %q", tt.name, tt.args, out.Notes)
		}
	}
	tooltest.Run(t, Set, "list_emails", w.call(), []tooltest.Case{
		{Name: "one", Args: `{"limit":1,"unreadOnly":true}`, Check: func(t *testing.T, res tool.Result) {
			var l listed
			if err := json.Unmarshal(res.Value, &l); err != nil {
				t.Fatal(err)
			}
			e := l.Emails[0]
			if len(e.ID) == 0 || len(e.ID) > 40 || e.Folder != "INBOX" || e.From != "Ben <ben@example.net>" ||
				!slices.Equal(e.To, []string{"ann@example.com"}) ||
				e.Date != "2026-11-23T10:00:00+01:00" || e.Preview != "alpha" || !e.Unread || e.Starred || e.HasAttachments || e.Size == 0 {
				t.Errorf("%+v", e)
			}
		}},
		{Name: "no such folder", Args: `{"folder":"Nowhere"}`, Fails: tool.NotFound, Message: "INBOX, Sent"},
		{Name: "no day", Args: `{"before":"soon"}`, Fails: tool.ValidationError, Message: "before must be a day"},
	})
	tooltest.Run(t, Set, "search_emails", w.call(), []tooltest.Case{
		{Name: "no such folder", Args: `{"query":"x","folder":"Nowhere"}`, Fails: tool.NotFound},
		{Name: "blank", Args: `{"query":"\" \""}`, Fails: tool.ValidationError, Message: "blank"},
		{Name: "several lines", Args: `{"query":"a\nb"}`, Fails: tool.ValidationError, Message: "one line"},
		{
			Name: "nothing",
			Args: `{"query":"nothing like it"}`,
			Want: `{"message":"0 of 0 mail(s) found","emails":[],"total":0,"count":0,"truncated":false,"query":{"searchText":"nothing like it","folder":"all","limit":50}}`,
		},
	})
}
