package documents

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/helve-dev/helve/internal/lib/archive"
	"github.com/helve-dev/helve/internal/lib/office"
	"github.com/helve-dev/helve/tool"
)

// Names of formats.
const (
	formatEML  = "eml"
	formatMbox = "mbox"
	formatXML  = "xml"
	formatYAML = "yaml"
)

// format is a format of documents.
type format struct {
	name string
	most int64 // bytes of a file
	read func(ctx context.Context, f *file, part string, res *readDocumentResult) error
}

// Sizes of the largest files.
const (
	maxOffice = 64 << 20
	maxMail   = 64 << 20
	maxMbox   = 512 << 20
	maxXML    = 32 << 20
	maxYAML   = 4 << 20
)

// sniffed is the number of bytes that show a format.
const sniffed = 4096

// formatOf returns the format of a file, by its contents and, of texts, by its name.
func formatOf(f *file, name string) (*format, error) {
	head := make([]byte, sniffed)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = head[:n]
	switch {
	case n == 0:
		return nil, tool.Fail(tool.ValidationError, "The file is empty.")
	case archive.IsZip(head):
		return &format{office.Workbook, maxOffice, readOffice}, nil
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return nil, compound(f)
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return nil, tool.Fail(tool.Unsupported, "The file is a PDF; read it with read_pdf.")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")), bytes.HasPrefix(head, []byte("BZh")):
		return nil, tool.Fail(tool.Unsupported, "The file is compressed; unpack it with extract_archive, and read what is in it.")
	}
	text := strings.TrimSpace(textOf(head))
	ext := strings.ToLower(path.Ext(name))
	switch {
	case mboxStart.MatchString(text):
		return &format{formatMbox, maxMbox, readMbox}, nil
	case ext == ".eml" || isMail(text) && !isYAML(text, ext):
		return &format{formatEML, maxMail, readEML}, nil
	case strings.HasPrefix(text, "<") && (ext == ".xml" || !isHTML(text)):
		return &format{formatXML, maxXML, readXML}, nil
	case isYAML(text, ext) && !strings.ContainsRune(text, 0):
		return &format{formatYAML, maxYAML, readYAML}, nil
	}
	return nil, tool.Fail(tool.Unsupported,
		"The file is none of xlsx, docx, eml, mbox, XML and YAML; read_file reads other texts, and read_pdf PDF.")
}

// textOf returns the beginning of a text that may be UTF-16, or begin with a mark.
func textOf(head []byte) string {
	text, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), head)
	if err != nil && len(text) == 0 {
		return string(head)
	}
	return string(text)
}

// mboxStart matches the line before a message of an mbox.
var mboxStart = regexp.MustCompile(`\AFrom \S+.*\d\d:\d\d.*\d{4}`)

// fieldName matches a line of the header of a mail.
var fieldName = regexp.MustCompile(`(?m)^([A-Za-z][A-Za-z0-9-]*):[ \t]?`)

// mailFields are fields that a mail has, and few other texts.
var mailFields = []string{
	"from", "to", "subject", "date", "received", "return-path", "mime-version", "message-id", "delivered-to", "content-type", "dkim-signature",
}

// isMail reports whether a text begins with the header of a mail: its first line is a field,
// and three fields of mails are there.
func isMail(text string) bool {
	header, _, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	if at := fieldName.FindStringIndex(header); at == nil || at[0] != 0 {
		return false
	}
	seen := map[string]bool{}
	for _, m := range fieldName.FindAllStringSubmatch(header, -1) {
		if name := strings.ToLower(m[1]); slices.Contains(mailFields, name) {
			seen[name] = true
		}
	}
	return len(seen) >= 3
}

func isYAML(text, ext string) bool {
	return ext == ".yaml" || ext == ".yml" || strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "--- ") ||
		strings.HasPrefix(text, "%YAML")
}

func isHTML(text string) bool {
	lower := strings.ToLower(text[:min(len(text), 1024)])
	return strings.HasPrefix(lower, "<!doctype html") || strings.HasPrefix(lower, "<html")
}

// compound returns the error for a file of the format before Office Open XML, in which
// encrypted documents are kept too.
func compound(f *file) error {
	head := make([]byte, 1<<20)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.Contains(head[:n], wide("EncryptedPackage")) {
		return tool.Fail(tool.Unsupported, "The document is encrypted with a password; ask for one without.")
	}
	return tool.Fail(tool.Unsupported,
		"The file has the format of Office before 2007 (.doc, .xls, .ppt, .msg), which is not read; save it as .docx or .xlsx.")
}

// wide returns a text of ASCII as UTF-16.
func wide(text string) []byte {
	out := make([]byte, 0, 2*len(text))
	for _, c := range []byte(text) {
		out = append(out, c, 0)
	}
	return out
}

// readOffice reads a workbook or a text document.
func readOffice(ctx context.Context, f *file, part string, res *readDocumentResult) error {
	pkg, err := office.Open(ctx, f, f.size)
	if err != nil {
		return err
	}
	switch pkg.Kind {
	case office.Workbook:
		return readBook(pkg, part, res)
	case office.Text:
		res.Format = office.Text
		if err := onlyPart(part); err != nil {
			return err
		}
		doc, err := pkg.Document()
		if err != nil {
			return err
		}
		res.Text, res.Cut = doc.Text, doc.Cut
		return nil
	}
	if kind := pkg.Like(); kind != "" {
		return tool.Fail(tool.Unsupported, "The file is a %s, which is not read; save it as .docx or .xlsx, or as PDF for read_pdf.", kind)
	}
	return tool.Fail(tool.Unsupported, "The file is an archive; list_archive shows what is in it, and extract_archive unpacks it.")
}

// readBook reads a sheet of a workbook.
func readBook(pkg *office.Package, part string, res *readDocumentResult) error {
	book, err := pkg.Book()
	if err != nil {
		return err
	}
	chosen := -1
	for i, s := range book.Sheets {
		name := s.Name
		if s.Hidden {
			name += " (hidden)"
		}
		res.name(name)
		if chosen < 0 && (s.Name == part || part == "" && !s.Hidden) {
			chosen = i
		}
	}
	res.PartCount = len(book.Sheets)
	if n, err := strconv.Atoi(part); chosen < 0 && err == nil && n >= 1 && n <= len(book.Sheets) {
		chosen = n - 1
	}
	if chosen < 0 && part == "" {
		chosen = 0 // all are hidden
	}
	if chosen < 0 {
		return tool.Fail(tool.NotFound, "The workbook has no sheet %.100q; its sheets are %s.",
			part, strings.Join(res.Parts[:min(len(res.Parts), 20)], ", "))
	}
	table, err := book.Table(chosen)
	if err != nil {
		return err
	}
	res.Part, res.Text, res.Cut = book.Sheets[chosen].Name, table.Text, table.Cut
	if table.Uncomputed > 0 {
		res.notef("%d cells have formulas without a stored value; they are shown as formulas.", table.Uncomputed)
	}
	return nil
}

// onlyPart refuses any part but the first of a document without parts.
func onlyPart(part string) error {
	if part == "" || part == "1" {
		return nil
	}
	return tool.Fail(tool.NotFound, "The document has no parts; leave part out, and read on with offset.")
}

// numbered returns the number of a part, 0 for none.
func numbered(part string, count int, what string) (int, error) {
	if part == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(part)
	if err != nil || n < 1 || n > count {
		return 0, tool.Fail(tool.NotFound, "The file has no %s %.100q; name one by its number, from 1 to %d.", what, part, count)
	}
	return n, nil
}
