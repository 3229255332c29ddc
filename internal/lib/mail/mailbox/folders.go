package mailbox

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Inbox is the folder that every mailbox has.
const Inbox = "INBOX"

// maxFolders bounds the folders of a mailbox that are read.
const maxFolders = 5000

// Folder is a folder that can hold mails.
type Folder struct {
	Name string
	// Uses are its special uses (RFC 6154), such as \Trash.
	Uses []imap.MailboxAttr
}

// usual are the names of folders that people use for those of a special use.
var usual = map[string]imap.MailboxAttr{
	"sent": imap.MailboxAttrSent, "sent items": imap.MailboxAttrSent, "sent mail": imap.MailboxAttrSent,
	"trash": imap.MailboxAttrTrash, "deleted items": imap.MailboxAttrTrash, "drafts": imap.MailboxAttrDrafts,
	"spam": imap.MailboxAttrJunk, "junk": imap.MailboxAttrJunk, "archive": imap.MailboxAttrArchive, "all mail": imap.MailboxAttrAll,
}

// list returns the folders of the mailbox.
func (s *Session) list() ([]Folder, error) {
	if s.folders != nil {
		return s.folders, nil
	}
	var options *imap.ListOptions
	if caps := s.client.Caps(); caps.Has(imap.CapIMAP4rev2) || caps.Has(imap.CapSpecialUse) && caps.Has(imap.CapListExtended) {
		options = &imap.ListOptions{ReturnSpecialUse: true}
	}
	cmd := s.client.List("", "*", options)
	all := []Folder{}
	for data := cmd.Next(); data != nil; data = cmd.Next() {
		if slices.Contains(data.Attrs, imap.MailboxAttrNoSelect) || slices.Contains(data.Attrs, imap.MailboxAttrNonExistent) {
			continue
		}
		if len(all) == maxFolders {
			_ = s.conn.Fail(errors.New("too many folders"))
			_ = cmd.Close() // ends with the connection
			return nil, s.server.Senseless(errors.New("too many folders"))
		}
		all = append(all, Folder{data.Mailbox, data.Attrs})
	}
	if err := cmd.Close(); err != nil {
		return nil, s.explain(err)
	}
	s.folders = all
	return all, nil
}

// Find returns the name of a folder as the server has it. A usual name, such as Sent, is that
// of the folder with this use if no folder has it. The error is not_found.
func (s *Session) Find(name string) (string, error) {
	if strings.EqualFold(name, Inbox) {
		return Inbox, nil
	}
	all, err := s.list()
	if err != nil {
		return "", err
	}
	use := usual[strings.ToLower(name)]
	byUse := ""
	var names []string
	for _, f := range all {
		if f.Name == name {
			return name, nil
		}
		if use != "" && byUse == "" && slices.Contains(f.Uses, use) {
			byUse = f.Name
		}
		names = append(names, f.Name)
	}
	if byUse != "" {
		return byUse, nil
	}
	return "", tool.Fail(tool.NotFound, "There is no folder %q; the mailbox has %s", textcut.Excerpt(name, 100), shownNames(names))
}

func shownNames(names []string) string {
	const most = 20
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += " and others"
	}
	return text
}

// byUse returns the folder of a special use, or the first that is there of some names; empty
// if there is none.
func (s *Session) byUse(use imap.MailboxAttr, names ...string) (string, error) {
	all, err := s.list()
	if err != nil {
		return "", err
	}
	for _, f := range all {
		if slices.Contains(f.Uses, use) {
			return f.Name, nil
		}
	}
	for _, name := range names {
		for _, f := range all {
			if strings.EqualFold(f.Name, name) {
				return f.Name, nil
			}
		}
	}
	return "", nil
}

// everywhere returns the folders to search for all mails: that of all mails if the server has
// one, else each.
func (s *Session) everywhere() ([]string, error) {
	all, err := s.list()
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, f := range all {
		if slices.Contains(f.Uses, imap.MailboxAttrAll) {
			return []string{f.Name}, nil
		}
		names = append(names, f.Name)
	}
	return names, nil
}

// choose selects a folder, to read it or also to change it.
func (s *Session) choose(name string, change bool) error {
	if s.open == name && (s.writes || !change) {
		return nil
	}
	data, err := s.client.Select(name, &imap.SelectOptions{ReadOnly: !change}).Wait()
	if reply, ok := errors.AsType[*imap.Error](err); ok && reply.Type == imap.StatusResponseTypeNo &&
		reply.Code != imap.ResponseCodeUnavailable && reply.Code != imap.ResponseCodeInUse {
		return tool.Fail(tool.NotFound, "The folder %q cannot be opened (%s)",
			textcut.Excerpt(name, 100), s.server.Clean(reply.Text)).Because(s.server.Quiet(err))
	}
	if err != nil {
		s.open = ""
		return s.explain(err)
	}
	s.open, s.writes, s.valid = name, change, data.UIDValidity
	return nil
}

// mark identifies a folder in the IDs of its mails.
func mark(folder string) (m [8]byte) {
	sum := sha256.Sum256([]byte(folder))
	copy(m[:], sum[:])
	return m
}
