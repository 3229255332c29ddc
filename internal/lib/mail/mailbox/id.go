package mailbox

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/emersion/go-imap/v2"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// ID identifies a mail in all sessions. As text it has 22 characters of URLs.
type ID struct {
	folder   [8]byte
	validity uint32
	uid      imap.UID
}

// idBytes is the length of an encoded ID.
const idBytes = 16

// String returns the ID as text.
func (id ID) String() string {
	var b [idBytes]byte
	copy(b[:8], id.folder[:])
	binary.BigEndian.PutUint32(b[8:], id.validity)
	binary.BigEndian.PutUint32(b[12:], uint32(id.uid))
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// ParseID returns the ID of a text. The error is not_found.
func ParseID(text string) (ID, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != idBytes {
		return ID{}, unknown(text)
	}
	id := ID{validity: binary.BigEndian.Uint32(b[8:]), uid: imap.UID(binary.BigEndian.Uint32(b[12:]))}
	copy(id.folder[:], b)
	if id.uid == 0 {
		return ID{}, unknown(text)
	}
	return id, nil
}

// unknown returns the error for an ID that no mail has.
func unknown(id string) error {
	return tool.Fail(tool.NotFound, "There is no mail with the id %q; list_emails and search_emails return the ids of mails",
		textcut.Excerpt(strings.ToValidUTF8(id, "�"), 40))
}

// locate selects the folder of a mail. A folder that is named must be that folder.
func (s *Session) locate(id ID, folder string, change bool) error {
	name := Inbox
	if id.folder != mark(Inbox) {
		all, err := s.list()
		if err != nil {
			return err
		}
		name = ""
		for _, f := range all {
			if mark(f.Name) == id.folder {
				name = f.Name
			}
		}
	}
	if folder != "" && !strings.EqualFold(folder, Inbox) {
		named, err := s.Find(folder)
		switch {
		case err != nil:
			return err
		case named != name:
			return tool.Fail(tool.NotFound, "The folder %q has no mail with the id %q; leave folder out, the id names it",
				textcut.Excerpt(folder, 100), id)
		}
	}
	if name == "" {
		return unknown(id.String())
	}
	if err := s.choose(name, change); err != nil {
		return err
	}
	if s.valid != id.validity {
		return unknown(id.String())
	}
	return nil
}
