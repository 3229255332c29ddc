package email

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

const withFile = "--b\nContent-Type: text/html\n\n<p>See <b>this</b></p>\n--b\nContent-Type: text/csv\nContent-Disposition: attachment; " +
	"filename=\"../../x.csv\"\n\na,b\n--b--"

func TestReadEmail(t *testing.T) {
	w := newWorld(t)
	w.imap.Put("INBOX",
		letter("thread", withFile, "Cc: cid@example.net\n", "Message-ID: <2@x>\n", "In-Reply-To: <1@x>\n", "References: <0@x> <1@x>\n",
			"Content-Type: multipart/mixed; boundary=b\n"),
		noon)
	id := w.first("INBOX")
	var res readResult
	out := w.play("read_email", fmt.Sprintf(`{"emailId":%q,"markAsRead":false}`, id), &res)
	if len(out.Notes) != 1 || out.Notes[0] != outward.Untrusted {
		t.Errorf("notes %q", out.Notes)
	}
	if res.Subject != "thread" || res.Text != "See this" || res.HTML != "<p>See <b>this</b></p>" || res.InReplyTo != "<1@x>" ||
		len(res.References) != 2 || res.Cc[0] != "cid@example.net" || !res.Unread || res.ID != id || !res.HasAttachments {
		t.Errorf("%+v", res)
	}
	if want := []attached{{Name: "x.csv", Type: "text/csv", Size: 3}}; len(res.Attachments) != 1 || res.Attachments[0] != want[0] ||
		len(w.files) != 0 {
		t.Errorf("attachments %+v, files %v, want none saved", res.Attachments, w.files)
	}
	for i, want := range []string{"mail/x.csv", "mail/x (2).csv"} { // nothing is overwritten
		w.play("read_email", fmt.Sprintf(`{"id":%q,"downloadAttachments":true,"attachmentDir":"mail"}`, id), &res)
		if text, err := fs.ReadFile(w.files, want); res.Attachments[0].Path != want || string(text) != "a,b" {
			t.Errorf("time %d: saved at %q: %q, %v, want %q", i, res.Attachments[0].Path, text, err, want)
		}
	}
	if _, unread := w.imap.Count("INBOX"); unread != 0 || res.Unread {
		t.Error("the mail was not marked as read")
	}
	tooltest.Run(t, Set, "read_email", w.call(), []tooltest.Case{
		{Name: "no id", Fails: tool.ValidationError},
		{Name: "no such mail", Args: `{"emailId":"fkzuPPL9p1wAAAABAAAAKg"}`, Fails: tool.NotFound, Message: "list_emails and search_emails"},
		{Name: "another folder", Args: fmt.Sprintf(`{"emailId":%q,"folder":"Archive"}`, id), Fails: tool.NotFound},
		{Name: "no such folder", Args: fmt.Sprintf(`{"emailId":%q,"folder":"Nowhere"}`, id), Fails: tool.NotFound},
		{Name: "outside", Args: fmt.Sprintf(`{"emailId":%q,"downloadAttachments":true,"attachmentDir":"/tmp"}`, id), Fails: tool.PathNotAllowed},
	})
}

// A person is asked unless the mail stays as it is; files in the person's own workspace are
// no reason to ask.
func TestReadEmailAsks(t *testing.T) {
	w := newWorld(t)
	for args, want := range map[string]struct {
		mutates, repeats bool
		risk             tool.Risk
	}{
		`{"emailId":"fkzuPPL9p1wAAAABAAAAKg","markAsRead":true}`:                             {true, true, ""},
		`{"emailId":"fkzuPPL9p1wAAAABAAAAKg","markAsRead":true,"downloadAttachments":true}`:  {true, false, ""},
		`{"emailId":"fkzuPPL9p1wAAAABAAAAKg","markAsRead":false}`:                            {false, true, tool.Low},
		`{"emailId":"fkzuPPL9p1wAAAABAAAAKg","markAsRead":false,"downloadAttachments":true}`: {true, false, tool.Low},
	} {
		for _, tl := range Set.Tools() {
			if tl.Name != "read_email" {
				continue
			}
			inv, err := tl.Bind(json.RawMessage(args))
			if err != nil {
				t.Fatal(err)
			}
			call := tool.Call{Tenant: "default", Secrets: w.secrets}
			if err := inv.Check(t.Context(), &call); err != nil || inv.Mutates != want.mutates || inv.Idempotent != want.repeats ||
				call.Risk != want.risk {
				t.Errorf("%s: mutates %v, idempotent %v, risk %q, %v; want %+v", args, inv.Mutates, inv.Idempotent, call.Risk, err, want)
			}
		}
	}
}

func TestDeleteEmail(t *testing.T) {
	w := newWorld(t)
	w.imap.Put("INBOX", letter("one", "x"), noon)
	id := w.first("INBOX")
	var res deleteResult
	w.play("delete_email", fmt.Sprintf(`{"emailId":%q}`, id), &res)
	if res.Action != "move_to_trash" || res.ID != id || res.Folder != "INBOX" || res.MovedTo != "Trash" || res.NewID == "" {
		t.Errorf("%+v", res)
	}
	if n, _ := w.imap.Count("Trash"); n != 1 {
		t.Errorf("%d mails in the trash, want 1", n)
	}
	if _, err := w.try("delete_email", fmt.Sprintf(`{"emailId":%q}`, id)); tool.AsError(err).Kind != tool.NotFound {
		t.Errorf("a second time: %v, want not_found", err)
	}
	moved := res.NewID
	res = deleteResult{}
	w.play("delete_email", fmt.Sprintf(`{"id":%q,"folder":"Trash","permanent":true}`, moved), &res)
	if n, _ := w.imap.Count("Trash"); n != 0 || res.Action != "permanent_delete" || res.Folder != "Trash" || res.MovedTo != "" {
		t.Errorf("%+v, %d left in the trash", res, n)
	}
	tooltest.Run(t, Set, "delete_email", w.call(), []tooltest.Case{
		{Name: "no id", Fails: tool.ValidationError},
		{Name: "nonsense", Args: `{"emailId":"x"}`, Fails: tool.NotFound},
	})
	w.secrets["imap"][0].Data["trash"] = "Archive"
	w.imap.Put("INBOX", letter("two", "x"), noon)
	w.play("delete_email", fmt.Sprintf(`{"emailId":%q}`, w.first("INBOX")), &res)
	if res.MovedTo != "Archive" {
		t.Errorf("moved to %q, want the folder of the entry", res.MovedTo)
	}
	if strings.Contains(fmt.Sprint(res), "password") {
		t.Error("the result has a secret")
	}
}
