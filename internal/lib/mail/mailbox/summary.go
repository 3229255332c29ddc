package mailbox

import (
	"bytes"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/internal/lib/textcut"
)

const (
	// previewBytes bounds the part of a mail's body that is read for its preview.
	previewBytes = 4 << 10
	// shownPreview is the length of a preview, in characters.
	shownPreview = 200
)

// Summary is a mail in a list.
type Summary struct {
	message.Header

	ID              ID
	Folder          string
	Arrived         time.Time
	Preview         string
	Unread, Starred bool
	HasFiles        bool
	// Size is that of the whole mail, in bytes.
	Size int64
}

// fields are those of the header that lists show, and those that the preview needs.
var fields = []string{
	"From", "Reply-To", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "MIME-Version", "Content-Type",
	"Content-Transfer-Encoding",
}

// summarize reads the summaries of hits, folder by folder, and keeps their order. A mail that
// is gone meanwhile is left out.
func (s *Session) summarize(hits []hit, found *Found) error {
	byFolder := map[string][]hit{}
	for _, h := range hits {
		byFolder[h.folder] = append(byFolder[h.folder], h)
	}
	type key struct {
		folder string
		uid    imap.UID
	}
	all := map[key]Summary{}
	for folder, some := range byFolder {
		if err := s.choose(folder, false); err != nil {
			return err
		}
		list, err := s.summaries(some)
		if err != nil {
			return err
		}
		for _, m := range list {
			all[key{folder, m.ID.uid}] = m
		}
	}
	for _, h := range hits {
		if m, ok := all[key{h.folder, h.uid}]; ok {
			found.Mails = append(found.Mails, m)
		}
	}
	return nil
}

// summaries reads mails of the selected folder.
func (s *Session) summaries(hits []hit) ([]Summary, error) {
	seen, err := s.fetch(hits, &imap.FetchOptions{
		UID: true, Flags: true, InternalDate: true, RFC822Size: true, BodyStructure: &imap.FetchItemBodyStructure{Extended: true},
		BodySection: []*imap.FetchItemBodySection{
			{Specifier: imap.PartSpecifierHeader, HeaderFields: fields, Peek: true},
			{Specifier: imap.PartSpecifierText, Partial: &imap.SectionPartial{Size: previewBytes}, Peek: true},
		},
	})
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(seen))
	for _, m := range seen {
		list = append(list, s.summary(m))
	}
	return list, nil
}

func (s *Session) summary(m *imapclient.FetchMessageBuffer) Summary {
	sum := Summary{
		ID: ID{mark(s.open), s.valid, m.UID}, Folder: s.open, Arrived: m.InternalDate, Size: max(m.RFC822Size, 0),
		Unread: true, HasFiles: hasFiles(m.BodyStructure),
	}
	for _, flag := range m.Flags {
		switch {
		case strings.EqualFold(string(flag), string(imap.FlagSeen)):
			sum.Unread = false
		case strings.EqualFold(string(flag), string(imap.FlagFlagged)):
			sum.Starred = true
		}
	}
	var head, body []byte
	for _, section := range m.BodySection {
		if section.Section.Specifier == imap.PartSpecifierHeader {
			head = section.Bytes
		} else {
			body = section.Bytes
		}
	}
	if start, err := message.Read(bytes.NewReader(append(head, body...)), nil); err == nil { // a mail without a header has no summary
		sum.Header = start.Header
		sum.Preview = textcut.Excerpt(strings.Join(strings.Fields(start.Text), " "), shownPreview)
	}
	if sum.Date.IsZero() {
		sum.Date = sum.Arrived
	}
	return sum
}

// fetch reads items of mails in the selected folder.
func (s *Session) fetch(hits []hit, options *imap.FetchOptions) (map[imap.UID]*imapclient.FetchMessageBuffer, error) {
	var set imap.UIDSet
	for _, h := range hits {
		set.AddNum(h.uid)
	}
	cmd := s.client.Fetch(set, options)
	all := map[imap.UID]*imapclient.FetchMessageBuffer{}
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		read, err := m.Collect()
		if err == nil && !set.Contains(read.UID) {
			err = errNoUID
		}
		if err != nil {
			_ = s.conn.Fail(err)
			_ = cmd.Close() // ends with the connection
			return nil, s.explain(err)
		}
		all[read.UID] = read
	}
	if err := cmd.Close(); err != nil {
		return nil, s.explain(err)
	}
	return all, nil
}

// hasFiles reports whether a mail came with files: not its texts, nor the pictures that its
// HTML shows.
func hasFiles(structure imap.BodyStructure) bool {
	found := false
	if structure == nil {
		return false
	}
	structure.Walk(func(_ []int, part imap.BodyStructure) bool {
		single, ok := part.(*imap.BodyStructureSinglePart)
		if !ok {
			return !found
		}
		kind := strings.ToLower(single.MediaType())
		disposition := ""
		if d := single.Disposition(); d != nil {
			disposition = strings.ToLower(d.Value)
		}
		switch {
		case disposition == "attachment":
			found = true
		case strings.HasPrefix(kind, "image/") && single.ID != "":
		case single.Filename() != "":
			found = true
		case strings.HasPrefix(kind, "text/") && kind != "text/calendar", kind == "message/delivery-status":
		default:
			found = true
		}
		return false
	})
	return found
}
