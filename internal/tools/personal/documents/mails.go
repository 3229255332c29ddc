package documents

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/mail/message"
	"github.com/helve-dev/helve/tool"
)

// Bounds of an mbox.
const (
	maxMessages = 100_000
	maxHeader   = 64 << 10 // bytes of a header in a list
)

func readEML(_ context.Context, f *file, part string, res *readDocumentResult) error {
	if err := onlyPart(part); err != nil {
		return err
	}
	return res.mail(io.NewSectionReader(f, 0, f.size))
}

// mail reads a message.
func (r *readDocumentResult) mail(in io.Reader) error {
	m, err := message.Read(in, nil)
	if err != nil {
		if _, known := errors.AsType[*tool.Error](err); known {
			return err
		}
		return tool.Fail(tool.ValidationError, "The file is no mail that can be read: it has no header.").Because(err)
	}
	var w strings.Builder
	for _, field := range []struct{ name, text string }{
		{"From", joined(m.From)}, {"To", joined(m.To)}, {"Cc", joined(m.Cc)}, {"Reply-To", joined(m.ReplyTo)}, {"Date", dateOf(m.Date)},
		{"Subject", m.Subject},
	} {
		if field.text != "" {
			fmt.Fprintf(&w, "%s: %s\n", field.name, field.text)
		}
	}
	w.WriteString("\n" + m.Text)
	r.Text = strings.TrimSpace(w.String())
	for _, file := range m.Files {
		r.Attachments = append(r.Attachments, documentFile{file.Name, file.Type, file.Size})
	}
	if m.Cut != "" {
		r.Cut = true
		r.notef("Not everything was read: %s.", m.Cut)
	}
	return nil
}

func joined(list []message.Address) string { return strings.Join(message.Strings(list), ", ") }

func dateOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}

// mailbox holds the places of the messages of an mbox.
type mailbox struct {
	starts []int64 // of messages, behind the line that separates them
	ends   []int64
}

// readMbox lists the messages of an mbox, or reads one.
func readMbox(ctx context.Context, f *file, part string, res *readDocumentResult) error {
	box, err := scanMbox(ctx, f)
	if err != nil {
		return err
	}
	count := len(box.starts)
	res.PartCount = count
	n, err := numbered(part, count, "message")
	if err != nil {
		return err
	}
	if n > 0 {
		res.Part = part
		in := io.NewSectionReader(f, box.starts[n-1], box.ends[n-1]-box.starts[n-1])
		return res.mail(&unquoted{in: bufio.NewReader(in)})
	}
	var w strings.Builder
	fmt.Fprintf(&w, "%d messages; part reads one by its number.\n", count)
	for i := range min(count, maxParts) {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := box.summary(f, i)
		if err != nil {
			return err
		}
		res.name(line)
		fmt.Fprintf(&w, "\n%d. %s", i+1, line)
	}
	if count > maxParts {
		res.notef("Only the first %d of %d messages are listed.", maxParts, count)
	}
	res.Text = w.String()
	return nil
}

// summary returns the date, sender and subject of a message.
func (b *mailbox) summary(f *file, i int) (string, error) {
	head := make([]byte, min(maxHeader, b.ends[i]-b.starts[i]))
	n, err := f.ReadAt(head, b.starts[i])
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	header := head[:n]
	for _, end := range []string{"\r\n\r\n", "\n\n"} {
		if before, _, found := bytes.Cut(header, []byte(end)); found {
			header = before
		}
	}
	m, err := message.Read(io.MultiReader(bytes.NewReader(header), strings.NewReader("\r\n\r\n")), nil)
	if err != nil {
		return "(a message that cannot be read)", nil //nolint:nilerr // the others can
	}
	parts := []string{}
	for _, text := range []string{dateOf(m.Date), joined(m.From), m.Subject} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " · "), nil
}

// scanMbox finds the messages of an mbox: each follows a line that begins with "From ", at the
// beginning or after an empty line.
func scanMbox(ctx context.Context, f *file) (*mailbox, error) {
	box := &mailbox{}
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, f.size), 256<<10)
	at, empty, fresh := int64(0), true, true
	for lines := 0; ; lines++ {
		if lines%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, err := in.ReadSlice('\n')
		if fresh && empty && bytes.HasPrefix(line, []byte("From ")) {
			if len(box.starts) == maxMessages {
				return nil, tool.Fail(tool.FileTooLarge, "The mbox has more than %d messages, which are not read; split it.", maxMessages)
			}
			if len(box.starts) > 0 {
				box.ends = append(box.ends, at)
			}
			box.starts = append(box.starts, at+int64(len(line)))
		}
		at += int64(len(line))
		if errors.Is(err, bufio.ErrBufferFull) {
			fresh = false
			continue
		}
		empty = fresh && len(bytes.TrimRight(line, "\r\n")) == 0
		fresh = true
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	box.ends = append(box.ends, at)
	if len(box.starts) == 0 {
		return nil, tool.Fail(tool.ValidationError, "The file has no message of an mbox.")
	}
	return box, nil
}

// unquoted removes the mark of lines that an mbox quotes, because they begin with "From ".
type unquoted struct {
	in   *bufio.Reader
	left []byte
	mid  bool // left ends within a line
}

func (u *unquoted) Read(p []byte) (int, error) {
	if len(u.left) == 0 {
		line, err := u.in.ReadSlice('\n')
		if len(line) == 0 {
			return 0, err
		}
		if !u.mid && bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From ")) && line[0] == '>' {
			line = line[1:]
		}
		u.left, u.mid = line, line[len(line)-1] != '\n'
	}
	n := copy(p, u.left)
	u.left = u.left[n:]
	return n, nil
}
