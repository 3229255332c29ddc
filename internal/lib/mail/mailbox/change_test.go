package mailbox

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"

	"github.com/helve-dev/helve/tool"
)

// only returns the one mail of a folder.
func only(t *testing.T, s *Session, folder string) Summary {
	t.Helper()
	found, err := s.Search(folder, &Query{Limit: 10})
	if err != nil || len(found.Mails) != 1 {
		t.Fatalf("%s: %d mails, %v, want 1", folder, len(found.Mails), err)
	}
	return found.Mails[0]
}

func TestRead(t *testing.T) {
	server, s := box(t)
	server.Put("Archive",
		letter("thread",
			"--b\n\nHello\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=\"../../x.txt\"\nContent-Transfer-Encoding: "+
				"base64\n\naGk=\n--b--",
			"Content-Type: multipart/mixed; boundary=b\n", "Message-ID: <3@x>\n", "In-Reply-To: <2@x>\n", "References: <1@x> <2@x>\n"), noon)
	id := only(t, s, "Archive").ID
	saved := map[string]string{}
	save := func(name string, r io.Reader) (string, error) {
		text, err := io.ReadAll(r)
		saved[name] = string(text)
		return "files/" + name, err
	}
	sum, m, err := s.Read(id, "", false, save)
	if err != nil {
		t.Fatal(err)
	}
	if m.Text != "Hello" || m.InReplyTo != "<2@x>" || !slices.Equal(m.References, []string{"<1@x>", "<2@x>"}) || m.MessageID != "<3@x>" ||
		sum.Folder != "Archive" || !sum.Unread {
		t.Errorf("read %+v of %+v", m, sum)
	}
	if saved["x.txt"] != "hi" || len(m.Files) != 1 || m.Files[0].Path != "files/x.txt" || m.Files[0].Size != 2 {
		t.Errorf("saved %q, files %+v", saved, m.Files)
	}
	if _, unread := server.Count("Archive"); unread != 1 {
		t.Error("the mail was marked as read, which was not wanted")
	}
	if sum, _, err = s.Read(id, "archive", true, nil); err != nil || sum.Unread {
		t.Errorf("read %+v, %v", sum, err)
	}
	if _, unread := server.Count("Archive"); unread != 0 {
		t.Error("the mail was not marked as read")
	}
	full := tool.Fail(tool.FileTooLarge, "the workspace is full")
	if _, _, err := s.Read(id, "", false, func(string, io.Reader) (string, error) { return "", full }); kind(err) != tool.FileTooLarge {
		t.Errorf("error %v, want that of saving", err)
	}
}

func TestIDs(t *testing.T) {
	server, s := box(t)
	server.Put("Büro/2026", letter("x", "y"), noon)
	mail := only(t, s, "Büro/2026")
	text := mail.ID.String()
	id, err := ParseID(text)
	if err != nil || id != mail.ID || len(text) > 40 || strings.ContainsAny(text, "+/=") {
		t.Fatalf("the id %q is read as %v, %v", text, id, err)
	}
	gone, other, nowhere := id, id, id
	gone.uid, other.validity = 99, id.validity+1
	nowhere.folder[0]++
	for name, id := range map[string]ID{"no such UID": gone, "another UIDVALIDITY": other, "no such folder": nowhere} {
		if _, _, err := s.Read(id, "", false, nil); kind(err) != tool.NotFound {
			t.Errorf("%s: error %v, want not_found", name, err)
		}
	}
	for folder, want := range map[string]tool.Kind{"": "", "INBOX": "", "Büro/2026": "", "Büro": tool.NotFound, "Nowhere": tool.NotFound} {
		if _, _, err := s.Read(id, folder, false, nil); kind(err) != want {
			t.Errorf("folder %q: error %v, want %q", folder, err, want)
		}
	}
	for _, text := range []string{
		"", "x", "1", strings.Repeat("A", 22), text + "A", text[:21], "../../../etc/passwd", strings.Repeat("é", 500),
	} {
		if _, err := ParseID(text); kind(err) != tool.NotFound {
			t.Errorf("ParseID(%q): %v, want not_found", text, err)
		}
	}
}

func TestRemove(t *testing.T) {
	for _, caps := range [][]imap.Cap{nil, {imap.CapIMAP4rev1, imap.CapIMAP4rev2}, {imap.CapIMAP4rev1, imap.CapUIDPlus}, {imap.CapIMAP4rev1}} {
		server, s := box(t, caps...)
		server.Put("INBOX", letter("one", "x"), noon)
		id := only(t, s, "INBOX").ID
		trash := "Trash"
		done, err := s.MoveToTrash(id, "", trash)
		if err != nil || done.Marked || done.Folder != "INBOX" || done.Trash != "Trash" {
			t.Fatalf("%v: %+v, %v", caps, done, err)
		}
		if n, _ := server.Count("INBOX"); n != 0 {
			t.Errorf("%v: %d mails are left in INBOX", caps, n)
		}
		moved := only(t, s, "Trash")
		if done.New != nil && *done.New != moved.ID || done.New == nil && len(caps) != 1 {
			t.Errorf("%v: the new id is %v, want %v", caps, done.New, moved.ID)
		}
		if _, err := s.MoveToTrash(moved.ID, "", trash); kind(err) != tool.ValidationError {
			t.Errorf("%v: from the trash to the trash: %v, want validation_error", caps, err)
		}
		if _, err := s.MoveToTrash(id, "", trash); kind(err) != tool.NotFound {
			t.Errorf("%v: a second time: %v, want not_found", caps, err)
		}
		if done, err = s.Delete(moved.ID, ""); err != nil || done.Marked || done.Folder != "Trash" {
			t.Errorf("%v: %+v, %v", caps, done, err)
		}
		if n, _ := server.Count("Trash"); n != 0 {
			t.Errorf("%v: %d mails are left in the trash", caps, n)
		}
	}
}

// Without UIDPLUS a server would remove what another program has marked as deleted.
func TestExpungeSparesOthers(t *testing.T) {
	server, s := box(t, imap.CapIMAP4rev1)
	server.Put("INBOX", letter("mine", "x"), noon)
	id := only(t, s, "INBOX").ID
	server.Put("INBOX", letter("other", "x"), noon, imap.FlagDeleted)
	if done, err := s.Delete(id, ""); err != nil || !done.Marked {
		t.Errorf("%+v, %v, want the mail marked only", done, err)
	}
	if n, _ := server.Count("INBOX"); n != 2 {
		t.Errorf("%d mails are left, want both", n)
	}
}

func TestTrashFolder(t *testing.T) {
	server, s := box(t)
	server.Put("INBOX", letter("one", "x"), noon)
	if done, err := s.MoveToTrash(only(t, s, "INBOX").ID, "", ""); err != nil || done.Trash != "Trash" {
		t.Errorf("without a name: %+v, %v, want the folder of that use", done, err)
	}
	server.Put("INBOX", letter("two", "x"), noon)
	if done, err := s.MoveToTrash(only(t, s, "INBOX").ID, "", "Bin"); err != nil || done.Trash != "Bin" {
		t.Errorf("a new folder: %+v, %v", done, err)
	}
	if n, _ := server.Count("Bin"); n != 1 {
		t.Errorf("%d mails in the new folder, want 1", n)
	}
}

func TestAppend(t *testing.T) {
	server, s := box(t)
	if err := s.Append("sent", []byte(strings.ReplaceAll(letter("kept", strings.Repeat("x", 9000)), "\n", "\r\n"))); err != nil {
		t.Fatal(err)
	}
	if n, unread := server.Count("Sent"); n != 1 || unread != 0 {
		t.Errorf("%d mails, %d unread, want 1 that is read", n, unread)
	}
	if err := s.Append("Nowhere", []byte("x")); kind(err) != tool.NotFound {
		t.Errorf("no such folder: %v, want not_found", err)
	}
	if err := s.Answered(only(t, s, "Sent").ID, ""); err != nil {
		t.Error(err)
	}
}
