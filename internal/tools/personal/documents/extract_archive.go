package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/archive"
	"github.com/helve-dev/helve/tool"
)

// Limits of one extraction.
const (
	maxExtracted     = 10_000
	maxExtractedSize = 512 << 20
	maxSkipped       = 100
	maxCreated       = 1000 // paths in a result
)

type extractArchiveArgs struct {
	Path        string   `json:"path" min:"1" doc:"Archive to extract, relative to the workspace."`
	Destination string   `json:"destination,omitempty" alias:"to" doc:"Directory to extract to; missing ones are made. By default a directory beside the archive, with its name without the extension."`
	Entries     []string `json:"entries,omitempty" max:"1000" doc:"Names of the files and directories to extract, as list_archive has them; all by default."`
	Overwrite   bool     `json:"overwrite" default:"false" doc:"Replace files that are there already; their earlier versions are kept."`
}

type skippedEntry struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

type extractArchiveResult struct {
	Path        string         `json:"path"`
	Destination string         `json:"destination"`
	Format      string         `json:"format" enum:"zip,tar,tar.gz,tar.bz2,gz,bz2"`
	Files       []string       `json:"files" doc:"Paths of the files written, at most 1000."`
	Count       int            `json:"count" doc:"Number of files written."`
	Size        int64          `json:"size" doc:"Bytes written."`
	Skipped     []skippedEntry `json:"skipped,omitempty" doc:"Entries that were left out, at most 100: links, encrypted ones, names that lead out or deceive, names that are there twice."`
	SkippedAll  int            `json:"skippedCount" doc:"Number of entries left out."`
	Truncated   bool           `json:"truncated" doc:"Whether files does not name all files written."`
}

var _ = tool.Add(Set, tool.Spec[extractArchiveArgs, *extractArchiveResult]{
	Name: "extract_archive",
	Description: "Unpack a zip or tar archive of the workspace (also tar.gz, tar.bz2, gz, bz2) into a directory of the workspace, " +
		"all of it or some entries; returns the files written and what was left out, such as links.",
	Tags:    []string{"unzip", "untar", "unpack", "zip", "tar", "extract", "decompress", "gunzip", "archive"},
	Example: `{"path":"photos.zip","destination":"photos"}`,
	Risk:    tool.Medium,
	Mutates: true,
	Repeats: func(a extractArchiveArgs) bool { return a.Overwrite },
	Scopes:  tool.Scopes{Paths: []string{"workspace"}},
	Needs:   tool.NeedFiles,
	Errors:  []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge, tool.Unsupported, tool.ExecutionError},
	Timeout: 2 * time.Minute,
	Check: func(_ context.Context, call *tool.Call, args extractArchiveArgs) error {
		if !args.Overwrite { // as write_file: it adds to the workspace, and replaces nothing
			call.Risk = tool.Low
		}
		return nil
	},
	Run: extractArchive,
})

// Present shows where the files are.
func (r *extractArchiveResult) Present(res *tool.Result) {
	res.Truncated = r.Truncated
	var w strings.Builder
	fmt.Fprintf(&w, "Extracted %d files (%d bytes) to %s\n", r.Count, r.Size, r.Destination)
	for _, name := range r.Files {
		fmt.Fprintln(&w, name)
	}
	if r.SkippedAll > 0 {
		fmt.Fprintf(&w, "%d entries were left out:\n", r.SkippedAll)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&w, "%s: %s\n", s.Name, s.Reason)
	}
	res.Text = w.String()
}

// extraction is one run of extract_archive.
type extraction struct {
	files  tool.Files
	args   *extractArchiveArgs
	wanted map[string]bool // whether something was found, by name; nil for all
	taken  map[string]bool // whether it is a directory, by path below the destination
	plan   map[int]string  // what to write, by number of the entry
	dirs   []string
	size   int64 // as the archive claims
	fresh  bool  // the destination did not exist
	res    *extractArchiveResult
}

// extractArchive goes through the archive twice: what is wrong with it is found before
// anything is written.
func extractArchive(ctx context.Context, call *tool.Call, args extractArchiveArgs) (*extractArchiveResult, error) {
	f, err := openFile(call, args.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x := &extraction{
		files: call.Files, args: &args, taken: map[string]bool{}, plan: map[int]string{},
		res: &extractArchiveResult{Path: args.Path, Destination: destinationOf(&args), Files: []string{}},
	}
	if err := x.arrive(); err != nil {
		return nil, err
	}
	if len(args.Entries) > 0 {
		x.wanted = map[string]bool{}
		for _, name := range args.Entries {
			x.wanted[strings.Trim(path.Clean(name), "/")] = false
		}
	}
	n := 0
	x.res.Format, err = archive.Walk(ctx, f, f.size, args.Path, func(e archive.Entry, _ func() (io.ReadCloser, error)) error {
		n++
		return x.add(n, e)
	})
	if err == nil {
		err = x.check()
	}
	if err != nil {
		return nil, err
	}
	err = x.makeDirectories(ctx)
	if err == nil {
		n = 0
		_, err = archive.Walk(ctx, f, f.size, args.Path, func(_ archive.Entry, open func() (io.ReadCloser, error)) error {
			n++
			if to, ok := x.plan[n]; ok {
				return x.write(to, open)
			}
			return nil
		})
	}
	if err != nil {
		return nil, x.undo(ctx, err)
	}
	x.res.Truncated = x.res.Count > len(x.res.Files)
	return x.res, nil
}

// destinationOf returns the directory to extract to.
func destinationOf(args *extractArchiveArgs) string {
	if args.Destination != "" {
		return args.Destination
	}
	base := path.Base(args.Path)
	for _, suffix := range []string{".gz", ".bz2", ".tgz", ".tbz2", ".tar", ".zip", path.Ext(base)} {
		if short := base[:max(0, len(base)-len(suffix))]; short != "" && strings.EqualFold(base[len(short):], suffix) {
			base = short
		}
	}
	if base == path.Base(args.Path) {
		base += ".d"
	}
	return path.Join(path.Dir(args.Path), base)
}

// add plans an entry, or reports why it is left out.
func (x *extraction) add(n int, e archive.Entry) error {
	if !x.wants(e) {
		return nil
	}
	if e.Problem != "" {
		x.skip(e, e.Problem)
		return nil
	}
	if e.Path == "." {
		return nil
	}
	directory := e.Type == archive.Directory
	if was, there := x.taken[e.Path]; there {
		if !was || !directory {
			x.skip(e, "its name is there twice")
		}
		return nil
	}
	for dir := path.Dir(e.Path); dir != "."; dir = path.Dir(dir) {
		if is, there := x.taken[dir]; there && !is {
			x.skip(e, "its name is below that of a file")
			return nil
		}
	}
	if _, err := x.files.Lstat(x.to(e.Path)); err != nil && tool.AsError(err).Kind != tool.FileNotFound {
		x.skip(e, tool.AsError(err).Msg) // such as a name that the workspace reserves
		return nil
	}
	for dir := path.Dir(e.Path); dir != "." && !x.taken[dir]; dir = path.Dir(dir) {
		x.taken[dir] = true
	}
	x.taken[e.Path] = directory
	switch {
	case directory:
		x.dirs = append(x.dirs, e.Path)
	default:
		x.plan[n] = e.Path
		x.size = plus(x.size, e.Size)
	}
	switch {
	case len(x.plan)+len(x.dirs) > maxExtracted || len(x.taken) > maxExtracted:
		return tool.Fail(tool.FileTooLarge,
			"Nothing was extracted: there are more than %d files and directories; name some of them with entries.", maxExtracted)
	case x.size > maxExtractedSize:
		return tooMuch("Nothing was extracted")
	}
	return nil
}

func tooMuch(done string) *tool.Error {
	return tool.Fail(tool.FileTooLarge, "%s: the archive unpacks to more than %d bytes (512MB); name some of its files with entries.",
		done, maxExtractedSize)
}

// wants reports whether an entry, or a directory that it is in, was asked for.
func (x *extraction) wants(e archive.Entry) bool {
	if x.wanted == nil {
		return true
	}
	name := e.Path
	if name == "" {
		name = strings.Trim(path.Clean(archive.Shown(e.Name)), "/")
	}
	for at := name; at != "." && at != "/" && at != ""; at = path.Dir(at) {
		if _, ok := x.wanted[at]; ok {
			x.wanted[at] = true
			return true
		}
	}
	return false
}

func (x *extraction) skip(e archive.Entry, reason string) {
	x.res.SkippedAll++
	if len(x.res.Skipped) < maxSkipped {
		x.res.Skipped = append(x.res.Skipped, skippedEntry{archive.Shown(e.Name), reason})
	}
}

// check refuses the plan if something is not there, nothing is left, or files are in the way.
func (x *extraction) check() error {
	for name, found := range x.wanted {
		if !found {
			return tool.Fail(tool.ValidationError, "Nothing was extracted: the archive has no entry %s; list_archive shows the names.",
				archive.Shown(name))
		}
	}
	if len(x.plan)+len(x.dirs) == 0 && x.res.SkippedAll > 0 {
		s := x.res.Skipped[0]
		if s.Reason == "it is encrypted" {
			return tool.Fail(tool.Unsupported, "Nothing was extracted: the archive is encrypted; ask for one without a password.")
		}
		return tool.Fail(tool.ValidationError, "Nothing was extracted: all %d entries are left out; the first one, %s: %s.",
			x.res.SkippedAll, s.Name, s.Reason)
	}
	if x.fresh {
		return nil
	}
	return x.inTheWay()
}

// arrive looks at the destination.
func (x *extraction) arrive() error {
	info, err := x.files.Stat(x.res.Destination)
	switch {
	case err != nil && tool.AsError(err).Kind == tool.FileNotFound:
		x.fresh = true
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return tool.Fail(tool.ValidationError, "Nothing was extracted: %s is a file; name a directory as destination.", x.res.Destination)
	}
	return nil
}

// inTheWay refuses to replace files, unless that is allowed, and directories in any case.
func (x *extraction) inTheWay() error {
	const told = 5
	var names []string
	count := 0
	for _, p := range slices.Sorted(maps.Keys(x.taken)) {
		directory := x.taken[p]
		info, err := x.files.Lstat(x.to(p))
		if err != nil || info.IsDir() && directory || info.Mode().IsRegular() && !directory && x.args.Overwrite {
			continue
		}
		if count++; count <= told {
			names = append(names, x.to(p))
		}
	}
	if count == 0 {
		return nil
	}
	hint := "set overwrite to replace files, or name another destination"
	if x.args.Overwrite {
		hint = "a file does not replace a directory or a link, nor they a file; name another destination"
	}
	return tool.Fail(tool.ValidationError, "Nothing was extracted: %d names are taken, such as %s; %s.",
		count, strings.Join(names, ", "), hint)
}

func (x *extraction) to(p string) string { return path.Join(x.res.Destination, p) }

func (x *extraction) makeDirectories(ctx context.Context) error {
	if err := x.files.MkdirAll(x.res.Destination); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(x.taken)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if x.taken[p] {
			if err := x.files.MkdirAll(x.to(p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// budget counts the bytes that are really unpacked.
type budget struct {
	r    io.Reader
	left int64
}

func (b *budget) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooMuch("The extraction was stopped")
	}
	return n, err
}

// keptFailure keeps the failure of an archive, so that it is not taken for one of the workspace.
type keptFailure struct {
	r   io.Reader
	err error
}

func (f *keptFailure) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

func (x *extraction) write(to string, open func() (io.ReadCloser, error)) error {
	contents, err := open()
	if err != nil {
		return archive.Damaged(to, err)
	}
	defer func() { _ = contents.Close() }() // everything that matters has been read
	in := &keptFailure{r: &budget{contents, maxExtractedSize - x.res.Size}}
	put := x.files.Write
	if _, err := x.files.Lstat(x.to(to)); err != nil || !x.args.Overwrite {
		put = func(name string, r io.Reader) (int64, error) { return x.files.Create(name, 0o644, r) }
	}
	n, err := put(x.to(to), in)
	switch {
	case in.err != nil:
		return archive.Damaged(to, in.err)
	case err != nil:
		return err
	}
	x.res.Count++
	x.res.Size += n
	if len(x.res.Files) < maxCreated {
		x.res.Files = append(x.res.Files, x.to(to))
	}
	return nil
}

// undo removes what a failed extraction has written to a directory that it made.
func (x *extraction) undo(ctx context.Context, why error) error {
	if x.fresh {
		if err := x.files.Discard(context.WithoutCancel(ctx), x.res.Destination); err == nil || tool.AsError(err).Kind == tool.FileNotFound {
			return why
		}
	}
	failure := tool.AsError(why)
	return tool.Fail(failure.Kind, "%s (%d files were extracted before that and are in %s)",
		failure.Msg, x.res.Count, x.res.Destination).Because(why)
}
