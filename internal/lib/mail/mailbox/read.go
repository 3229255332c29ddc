package mailbox

import (
	"errors"
	"io"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/tool"
)

const (
	// maxMail bounds what is read of a mail, in bytes: the largest files, encoded, and texts.
	maxMail = 40 << 20
	// around is room for what surrounds a mail in a response.
	around = 64 << 10
)

// Read reads a mail, and marks it as read if seen is set. Folder is empty, or that of the
// mail. Files are saved with save unless it is nil.
func (s *Session) Read(id ID, folder string, seen bool, save message.Save) (*Summary, *message.Message, error) {
	sum, err := s.Summary(id, folder, seen)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.body(id.uid, sum.Size, save)
	if err != nil {
		return nil, nil, err
	}
	if sum.Size > maxMail {
		m.Cut = "the mail is larger than is read (40 MB)"
	}
	if m.Date.IsZero() {
		m.Date = sum.Arrived
	}
	if seen && sum.Unread {
		if err := s.Flag(id, imap.FlagSeen); err != nil {
			return nil, nil, err
		}
		sum.Unread = false
	}
	return sum, m, nil
}

// Summary returns a mail as lists have it, and selects its folder, to change it if change is
// set. The error is not_found if there is no such mail.
func (s *Session) Summary(id ID, folder string, change bool) (*Summary, error) {
	if err := s.locate(id, folder, change); err != nil {
		return nil, err
	}
	list, err := s.summaries([]hit{{uid: id.uid}})
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, unknown(id.String())
	}
	return &list[0], nil
}

// body reads the mail of a UID while it comes in.
func (s *Session) body(uid imap.UID, size int64, save message.Save) (*message.Message, error) {
	section := &imap.FetchItemBodySection{Peek: true}
	if size > maxMail {
		section.Partial = &imap.SectionPartial{Size: maxMail}
	}
	s.conn.Allow(min(size, maxMail) + around)
	cmd := s.client.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}})
	m, err := s.first(cmd, save)
	if err != nil {
		_ = s.conn.Fail(err)
		_ = cmd.Close() // ends with the connection
		return nil, s.explain(err)
	}
	if err := cmd.Close(); err != nil {
		return nil, s.explain(err)
	}
	if m == nil {
		return nil, tool.Fail(tool.NotFound, "The mail is gone; list_emails shows those that are there")
	}
	return m, nil
}

// first reads the first mail of an answer; nil if there is none.
func (s *Session) first(cmd *imapclient.FetchCommand, save message.Save) (*message.Message, error) {
	data := cmd.Next()
	if data == nil {
		return nil, nil
	}
	for item := data.Next(); item != nil; item = data.Next() {
		section, ok := item.(imapclient.FetchItemDataBodySection)
		if !ok {
			continue
		}
		if section.Literal == nil {
			return nil, errors.New("the mail is empty")
		}
		return message.Read(&intact{io.LimitReader(section.Literal, maxMail), s.conn}, save)
	}
	return nil, errors.New("the answer has no mail")
}

// intact reads a literal while its connection is: what a broken one gives is no mail.
type intact struct {
	r    io.Reader
	conn *mail.Conn
}

// Read implements [io.Reader].
func (i *intact) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	if broken := i.conn.Failure(); broken != nil {
		return 0, broken
	}
	return n, err
}

// Flag sets a flag of a mail in the selected folder.
func (s *Session) Flag(id ID, flag imap.Flag) error {
	return s.flag(imap.UIDSetNum(id.uid), flag)
}

func (s *Session) flag(set imap.UIDSet, flag imap.Flag) error {
	err := s.client.Store(set, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{flag}}, nil).Close()
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// Answered marks a mail as answered.
func (s *Session) Answered(id ID, folder string) error {
	if err := s.locate(id, folder, true); err != nil {
		return err
	}
	return s.Flag(id, imap.FlagAnswered)
}
