package people

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// mailWorld is a system with the mail servers, whose people have accounts there.
type mailWorld struct {
	*system.System

	t  *testing.T
	at *mailServers
}

// call makes a call of a person, and decodes its result.
func (w *mailWorld) call(user, tool string, args, res any) system.Element {
	w.t.Helper()
	encoded, err := json.Marshal(map[string]any{"tool": tool, "arguments": args})
	if err != nil {
		w.t.Fatal(err)
	}
	e := system.Execute(w.t, w.HTTP(0), "default", system.CallAs(user, string(encoded))).Results[0]
	if res == nil {
		return e
	}
	if e.Status != "success" {
		w.t.Fatalf("%s(%s): %v", tool, encoded, e)
	}
	if err := json.Unmarshal(e.Result, res); err != nil {
		w.t.Fatal(err)
	}
	return e
}

type mail struct {
	ID, Folder, From, Subject, Preview, Text, MessageID, InReplyTo string
	To, References                                                 []string
	Unread, HasAttachments                                         bool
	Attachments                                                    []struct {
		Name, Type, Path string
		Size             int64
	}
}

type mailList struct {
	Emails       []mail
	Total, Count int
}

// arrives waits until a person's search finds a mail.
func (w *mailWorld) arrives(user, query string) mail {
	w.t.Helper()
	var found mailList
	system.Eventually(w.t, user+" has a mail with "+query, func() bool {
		w.call(user, "search_emails", map[string]any{"query": query, "folder": "INBOX"}, &found)
		return found.Count > 0
	})
	return found.Emails[0]
}

// set stores an entry of a person.
func (w *mailWorld) set(user, service string, fields map[string]string) system.Reply {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"fields": fields, "user": user})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.HTTP(0).Ask(w.t, "default", "services.set", map[string]string{"service": service, "label": "default"}, string(body))
}

func (w *mailWorld) accounts(user, password string) {
	w.t.Helper()
	for service, fields := range map[string]map[string]string{
		"smtp": {
			"host":     "127.0.0.1",
			"port":     w.at.SMTP,
			"user":     user + "@example.test",
			"password": password,
			"from":     strings.ToUpper(user[:1]) + user[1:] + " Ö <" + user + "@example.test>",
			"ca":       w.at.authority.PEM,
		},
		"imap": {
			"host":     "127.0.0.1",
			"port":     w.at.IMAPS,
			"user":     user + "@example.test",
			"password": password,
			"tls":      "tls",
			"ca":       w.at.authority.PEM,
			"sent":     "Sent",
		},
	} {
		if r := w.set(user, service, fields); r.Status != 200 {
			w.t.Fatalf("services.set = %d %s", r.Status, r.Body)
		}
		system.Eventually(w.t, service+" of "+user+" is tested", func() bool {
			return strings.Contains(string(w.test(user, service).Body), `"ok":true`)
		})
	}
}

func (w *mailWorld) test(user, service string) system.Reply {
	w.t.Helper()
	return w.HTTP(0).Ask(w.t, "default", "services.test", map[string]string{"service": service, "label": "default", "user": user}, "")
}

// TestMail has two people write to each other.
func TestMail(t *testing.T) {
	t.Parallel()
	at := startMailServers(t)
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Profile, c.Groups = "auto", []string{"email=on"} }})
	w := &mailWorld{s, t, at}
	for user, password := range map[string]string{"ann": mailPeople["ann@example.test"], "ben": mailPeople["ben@example.test"]} {
		w.accounts(user, password)
	}
	t.Run("send, read, answer", w.conversation)
	t.Run("bounce", w.bounce)
	t.Run("refused recipient", w.refused)
	t.Run("search", w.search)
	t.Run("delete", w.remove)
	t.Run("accounts", w.signIn)
}

func (w *mailWorld) conversation(t *testing.T) {
	dir := filepath.Join(w.Config.Data, "workspaces", "default", "ann")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	table := "name,amount\nÄrger,1\n" + strings.Repeat("x,2\n", 1<<20)
	if err := os.WriteFile(filepath.Join(dir, "Übersicht.csv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		MessageID string
		Accepted  []string
	}
	w.call("ann", "send_email", map[string]any{
		"to": []string{"ben@example.test"}, "bcc": []string{"ann@example.test"}, "subject": "Grüße aus Zürich 👋", "html": true,
		"body": "<h1>Hallo</h1><p>Die <b>Übersicht</b> liegt bei.</p>\n.\n", "attachments": []string{"Übersicht.csv"}, "priority": "high",
	}, &sent)
	if !slices.Equal(sent.Accepted, []string{"ben@example.test", "ann@example.test"}) {
		t.Errorf("accepted %q", sent.Accepted)
	}
	got := w.arrives("ben", sent.MessageID)
	if got.Subject != "Grüße aus Zürich 👋" || got.From != "Ann Ö <ann@example.test>" || !got.Unread || !got.HasAttachments ||
		!slices.Equal(got.To, []string{"ben@example.test"}) {
		t.Errorf("ben has %+v", got)
	}
	var read mail
	w.call("ben", "read_email", map[string]any{"emailId": got.ID, "downloadAttachments": true, "attachmentDir": "in"}, &read)
	if !strings.HasPrefix(read.Text, "Hallo\n\nDie Übersicht liegt bei.") || read.Unread || len(read.Attachments) != 1 ||
		read.Attachments[0].Name != "Übersicht.csv" || read.MessageID != sent.MessageID {
		t.Fatalf("ben reads %+v", read)
	}
	saved, err := os.ReadFile(filepath.Join(w.Config.Data, "workspaces", "default", "ben", read.Attachments[0].Path))
	if err != nil || string(saved) != table {
		t.Errorf("the saved file has %d bytes, %v, want the %d that were sent", len(saved), err, len(table))
	}
	w.arrives("ann", sent.MessageID) // the copy to bcc
	raw := w.call("ben", "list_emails", map[string]any{"unreadOnly": true}, &mailList{})
	if strings.Contains(string(raw.Result), got.ID) {
		t.Errorf("the mail is unread: %s", raw.Result)
	}
	var answer struct {
		MessageID string
		Message   struct{ Subject string }
	}
	w.call("ben", "reply_email", map[string]any{"emailId": got.ID, "body": "Danke!", "replyAll": true}, &answer)
	back := w.arrives("ann", answer.MessageID)
	w.call("ann", "read_email", map[string]any{"emailId": back.ID, "markAsRead": false}, &read)
	if read.InReplyTo != sent.MessageID || !slices.Equal(read.References, []string{sent.MessageID}) ||
		read.Subject != "Re: Grüße aus Zürich 👋" || read.Text != "Danke!" {
		t.Errorf("ann reads %+v", read)
	}
	var copies mailList
	w.call("ben", "search_emails", map[string]any{"query": answer.MessageID, "folder": "Sent"}, &copies)
	if copies.Count != 1 {
		t.Errorf("ben has %d copies of the answer in Sent, want 1", copies.Count)
	}
}

// bounce sends a mail that cannot be delivered: it comes back, and is read like any other.
func (w *mailWorld) bounce(t *testing.T) {
	var sent struct{ MessageID string }
	w.call("ann", "send_email", map[string]any{"to": []string{"nobody@elsewhere.test"}, "subject": "into the void", "body": "x"}, &sent)
	got := w.arrives("ann", "undelivered")
	var read mail
	w.call("ann", "read_email", map[string]any{"emailId": got.ID}, &read)
	if !strings.Contains(read.Text, "there is nobody outside of this test") || !strings.Contains(read.Text, "Action: failed") {
		t.Errorf("the bounce reads %q", read.Text)
	}
}

func (w *mailWorld) refused(t *testing.T) {
	e := w.call("ann", "send_email",
		map[string]any{"to": []string{"ben@example.test", "nobody@example.test"}, "subject": "half", "body": "x"}, nil)
	if e.ErrorType != "execution_error" || !strings.Contains(e.Message, "so nothing was sent: nobody@example.test (550") {
		t.Errorf("an unknown recipient: %v", e)
	}
	var found mailList
	if w.call("ben", "search_emails", map[string]any{"query": "half"}, &found); found.Count != 0 {
		t.Errorf("ben has %+v", found)
	}
}

func (w *mailWorld) search(t *testing.T) {
	for _, text := range []string{"Straße und Größe", "наука", "plain words here"} {
		w.call("ann", "send_email", map[string]any{
			"to": []string{"ben@example.test"}, "subject": "about " + text, "body": "in the text: " + text + " " + strings.Repeat("y", 100),
		}, &struct{}{})
		w.arrives("ben", text)
	}
	for query, want := range map[string]string{
		"größe straße":    "about Straße und Größe",
		"НАУКА":           "about наука",
		`"words here"`:    "about plain words here",
		`"here words"`:    "",
		"nothing like it": "",
	} {
		var found mailList
		w.call("ben", "search_emails", map[string]any{"query": query}, &found)
		got := ""
		if found.Count > 0 {
			got = found.Emails[0].Subject
		}
		if got != want {
			t.Errorf("a search for %q finds %q, want %q", query, got, want)
		}
	}
	var found mailList
	w.call("ben", "search_emails", map[string]any{"query": "example.test", "hasAttachment": true}, &found)
	if found.Count != 1 || !strings.HasPrefix(found.Emails[0].Subject, "Grüße") {
		t.Errorf("mails with files: %+v", found)
	}
	if e := w.call("ben", "list_emails", map[string]any{"folder": "Nowhere"}, nil); e.ErrorType != "not_found" ||
		!strings.Contains(e.Message, "Büro") {
		t.Errorf("no such folder: %v", e)
	}
	w.call("ben", "list_emails", map[string]any{"folder": "Büro"}, &found)
}

func (w *mailWorld) remove(t *testing.T) {
	var sent struct{ MessageID string }
	w.call("ann", "send_email", map[string]any{"to": []string{"ben@example.test"}, "subject": "waste", "body": "x"}, &sent)
	got := w.arrives("ben", sent.MessageID)
	var done struct{ Action, MovedTo, NewID string }
	w.call("ben", "delete_email", map[string]any{"emailId": got.ID}, &done)
	if done.Action != "move_to_trash" || done.MovedTo != "Trash" || done.NewID == "" {
		t.Errorf("%+v", done)
	}
	if e := w.call("ben", "read_email", map[string]any{"emailId": got.ID}, nil); e.ErrorType != "not_found" {
		t.Errorf("the deleted mail: %v", e)
	}
	w.call("ben", "delete_email", map[string]any{"emailId": done.NewID, "permanent": true}, &done)
	var found mailList
	if w.call("ben", "search_emails", map[string]any{"query": sent.MessageID}, &found); found.Count != 0 {
		t.Errorf("after its deletion: %+v", found)
	}
}

// signIn tests entries: TLS in both forms, an access token, and credentials that are refused.
func (w *mailWorld) signIn(t *testing.T) {
	ca := w.at.authority.PEM
	if r := w.HTTP(0).Ask(t, "default", "services.set", map[string]string{"service": "google", "label": "default"},
		fmt.Sprintf(`{"type": "custom", "fields": {"access_token": %q}}`, mailToken)); r.Status != 200 {
		t.Fatalf("services.set = %d %s", r.Status, r.Body)
	}
	user, password := "ann@example.test", mailPeople["ann@example.test"]
	for i, tt := range []struct {
		service string
		fields  map[string]string
		want    string
	}{
		{"smtp", map[string]string{"port": w.at.SMTPS, "tls": "tls", "user": user, "password": password, "ca": ca}, `"ok":true`},
		{"smtp", map[string]string{"port": w.at.SMTP, "user": user, "account": "google", "ca": ca}, `"ok":true`},
		{"smtp", map[string]string{"port": w.at.SMTP, "user": user, "password": "wrong", "ca": ca}, `"status":535`},
		{"smtp", map[string]string{"port": w.at.SMTP, "user": user, "password": password}, "the certificate of 127.0.0.1"},
		{"imap", map[string]string{"port": w.at.IMAP, "tls": "starttls", "user": user, "password": password, "ca": ca}, `"ok":true`},
		{"imap", map[string]string{"port": w.at.IMAPS, "tls": "tls", "user": user, "account": "google", "ca": ca}, `"ok":true`},
		{
			"imap", map[string]string{"port": w.at.IMAPS, "tls": "tls", "user": "ben@example.test", "account": "google", "ca": ca},
			"helve config connect google",
		},
		{"imap", map[string]string{"port": w.at.IMAPS, "tls": "tls", "user": user, "password": "wrong", "ca": ca}, "helve config set imap"},
		{"imap", map[string]string{"port": w.at.IMAP, "tls": "none", "user": user, "password": password}, "tls=starttls"},
	} {
		who := fmt.Sprintf("u%d", i)
		tt.fields["host"], tt.fields["from"] = "127.0.0.1", user
		if tt.service == "imap" {
			delete(tt.fields, "from")
		}
		if r := w.set(who, tt.service, tt.fields); r.Status != 200 {
			t.Fatalf("services.set = %d %s", r.Status, r.Body)
		}
		var r system.Reply
		system.Eventually(t, "the worker has the entry", func() bool {
			r = w.test(who, tt.service)
			return r.Status == 200
		})
		if !strings.Contains(string(r.Body), tt.want) || strings.Contains(string(r.Body), password) ||
			strings.Contains(string(r.Body), mailToken) {
			t.Errorf("%d %s: %s, want %s", i, tt.service, r.Body, tt.want)
		}
	}
}
