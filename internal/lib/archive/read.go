package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Bounds of what is read.
const (
	// MaxFile is the size of the largest archive, in bytes.
	MaxFile = 512 << 20
	// MaxEntries is the number of entries that are read of one archive.
	MaxEntries = 200_000
	// maxUnpacked bounds the bytes that are unpacked in one pass.
	maxUnpacked = 1 << 30
)

// Types of entries.
const (
	File      = "file"
	Directory = "directory"
	Link      = "symlink"
	Other     = "other"
)

// Entry is a file or directory of an archive.
type Entry struct {
	// Name is the name as the archive has it; see [Shown].
	Name string
	// Path is where the entry belongs below the directory that the archive is extracted to.
	// It is empty if Problem is not, and "." for that directory itself.
	Path string
	// Type is one of the constants of types.
	Type string
	// Size is the size that the archive claims, -1 if it does not.
	Size     int64
	Modified time.Time
	// Problem is the reason why the entry must not be written; empty if it may.
	Problem string
	// Encrypted is set if the contents need a password.
	Encrypted bool
}

// Visit is called with each entry in the order of the archive. Open returns the contents of a
// file while Visit runs. An error ends the walk; [fs.SkipAll] ends it without one.
type Visit func(e Entry, open func() (io.ReadCloser, error)) error

// errTooMuch ends the unpacking of an archive that does not end.
var errTooMuch = tool.Fail(tool.FileTooLarge, "The archive unpacks to more than %d bytes (1GB) and is not read further.", maxUnpacked)

// Walk visits the entries of an archive of that size, and returns its format: zip, tar,
// tar.gz, tar.bz2, gz or bz2. Name is the name of the file, of which a single compressed file
// takes its own. What is no archive fails with unsupported, a damaged one with
// validation_error, and too large a one with file_too_large.
func Walk(ctx context.Context, r io.ReaderAt, size int64, name string, visit Visit) (format string, err error) {
	if size > MaxFile {
		return "", tool.Fail(tool.FileTooLarge, "The archive is too large (%d bytes). Archives are read up to %d bytes (512MB).", size, MaxFile)
	}
	in := bufio.NewReaderSize(&input{ctx, io.NewSectionReader(r, 0, size)}, 64<<10)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	switch {
	case IsZip(head):
		format, err = "zip", walkZip(ctx, r, size, visit)
	case isTar(head):
		format, err = "tar", walkTar(in, visit)
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		var z *gzip.Reader
		if z, err = gzip.NewReader(in); err == nil {
			format, err = walkPacked(ctx, z, "gz", cutSuffix(name, ".gz"), visit)
		}
	case bytes.HasPrefix(head, []byte("BZh")):
		format, err = walkPacked(ctx, bzip2.NewReader(in), "bz2", cutSuffix(name, ".bz2"), visit)
	default:
		return "", unknown(head)
	}
	switch _, known := errors.AsType[*tool.Error](err); {
	case err == nil, errors.Is(err, fs.SkipAll):
		return format, nil
	case ctx.Err() != nil:
		return format, ctx.Err()
	case known:
		return format, err
	default:
		return format, tool.Fail(tool.ValidationError,
			"The archive is damaged or incomplete; get it again, or ask for another copy.").Because(err)
	}
}

// headSize is the number of bytes that show a format.
const headSize = 512

// IsZip reports whether a file begins as a zip file does.
func IsZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// isTar reports whether a file begins with the header of an entry of tar.
func isTar(head []byte) bool {
	if len(head) < headSize {
		return false
	}
	if bytes.HasPrefix(head[257:], []byte("ustar")) {
		return true
	}
	_, err := tar.NewReader(bytes.NewReader(head)).Next() // of before POSIX; the header has a checksum
	return err == nil
}

// unknown returns the error for a file that is no archive that can be read.
func unknown(head []byte) error {
	for magic, name := range map[string]string{
		"7z\xbc\xaf\x27\x1c": "7z", "Rar!\x1a\x07": "RAR", "\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd",
	} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return tool.Fail(tool.Unsupported, "The file is a %s archive, which cannot be read; ask for a zip or tar.gz.", name)
		}
	}
	return tool.Fail(tool.Unsupported, "The file is no archive: zip, tar, tar.gz, tar.bz2, gz and bz2 are read.")
}

// cutSuffix returns the base of a name without a suffix.
func cutSuffix(name, suffix string) string {
	base := path.Base(name)
	if n := len(base) - len(suffix); n > 0 && strings.EqualFold(base[n:], suffix) {
		return base[:n]
	}
	return base + ".unpacked"
}

// input ends a long read when the call ends.
type input struct {
	ctx context.Context
	r   io.Reader
}

func (i *input) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// bounded fails when more is read than may be.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// walkPacked visits the entries of a compressed tar, or the one file that is compressed.
func walkPacked(ctx context.Context, unpacked io.Reader, packing, name string, visit Visit) (string, error) {
	in := bufio.NewReaderSize(&input{ctx, &bounded{unpacked, maxUnpacked}}, 64<<10)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return packing, err
	}
	if isTar(head) {
		return "tar." + packing, walkTar(in, visit)
	}
	e := Entry{Name: name, Type: File, Size: -1}
	e.Path, e.Problem = pathOf(name)
	return packing, visit(e, func() (io.ReadCloser, error) { return io.NopCloser(in), nil })
}

func walkTar(in io.Reader, visit Visit) error {
	t := tar.NewReader(in)
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == MaxEntries {
			return tooMany()
		}
		e := Entry{Name: h.Name, Size: h.Size, Modified: h.ModTime}
		e.Path, e.Problem = pathOf(h.Name)
		e.describe(h.FileInfo().Mode())
		if h.Typeflag == tar.TypeLink {
			e.Type, e.Path, e.Problem = Link, "", linked
		}
		if err := visit(e, func() (io.ReadCloser, error) { return io.NopCloser(t), nil }); err != nil {
			return err
		}
	}
}

const linked = "it is a link"

// describe sets the type of an entry, and refuses what is neither a file nor a directory.
func (e *Entry) describe(mode fs.FileMode) {
	switch mode.Type() {
	case 0:
		e.Type = File
	case fs.ModeDir:
		e.Type, e.Size = Directory, 0
	case fs.ModeSymlink:
		e.Type, e.Size, e.Path, e.Problem = Link, 0, "", linked
	default:
		e.Type, e.Size, e.Path, e.Problem = Other, 0, "", "it is neither a file nor a directory"
	}
	if e.Type == File && e.Path == "." {
		e.Path, e.Problem = "", "it has no name"
	}
}

func tooMany() error {
	return tool.Fail(tool.FileTooLarge, "The archive has more than %d entries, which are not read.", MaxEntries)
}

func walkZip(ctx context.Context, r io.ReaderAt, size int64, visit Visit) error {
	if err := CheckZip(ctx, r, size); err != nil {
		return err
	}
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	for _, f := range z.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		const encrypted = 1
		e := Entry{Name: zipName(f.Name), Size: int64(min(f.UncompressedSize64, 1<<62)), Modified: f.Modified, Encrypted: f.Flags&encrypted != 0}
		e.Path, e.Problem = pathOf(e.Name)
		e.describe(f.Mode())
		if strings.HasSuffix(e.Name, `\`) && e.Type == File {
			e.Type, e.Size = Directory, 0
		}
		if e.Encrypted && e.Problem == "" {
			e.Path, e.Problem = "", "it is encrypted"
		}
		if err := visit(e, func() (io.ReadCloser, error) { return f.Open() }); err != nil {
			return err
		}
	}
	return nil
}

// CheckZip refuses a zip file with too many entries before they are all in memory: the
// number at its end cannot be trusted, so it counts what begins an entry of the directory.
func CheckZip(ctx context.Context, r io.ReaderAt, size int64) error {
	mark := []byte("PK\x01\x02")
	in := &input{ctx, io.NewSectionReader(r, 0, size)}
	buffer, kept, count := make([]byte, 256<<10), 0, 0
	for {
		n, err := in.Read(buffer[kept:])
		text := buffer[:kept+n]
		if count += bytes.Count(text, mark); count > MaxEntries {
			return tooMany()
		}
		kept = copy(buffer, text[max(0, len(text)-len(mark)+1):])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Damaged returns the error for an entry that cannot be unpacked.
func Damaged(name string, err error) error {
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e
	}
	return tool.Fail(tool.ValidationError, "%s cannot be unpacked: the archive is damaged, or packed in a way that is not read.",
		Shown(name)).Because(fmt.Errorf("unpacking: %w", err))
}
