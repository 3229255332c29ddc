package workspace

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	// versionsSuffix ends the name of the directory with the earlier versions of a
	// workspace, beside it. Names of users contain no dot, so it cannot be a user's
	// workspace.
	versionsSuffix = ".versions"
	// maxVersions limits the earlier versions of a workspace in total.
	maxVersions = 10_000
	// idLayout begins the ID of a version, so that IDs sort by time.
	idLayout = "20060102T150405.000000"
)

// versionStore is the open directory of earlier versions. A version is a file in it, named by
// its ID and the digest of its path.
type versionStore struct {
	root  *os.Root
	usage *usage
}

// openVersions opens the earlier versions of the workspace, and creates their directory if it
// is missing and mayMake is set.
func (f *folder) openVersions(mayMake bool) (*versionStore, error) {
	dir := f.dir + versionsSuffix
	root, err := os.OpenRoot(dir)
	if mayMake && errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			root, err = os.OpenRoot(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	return &versionStore{root, f.usage}, nil
}

func (s *versionStore) close() { _ = s.root.Close() }

// digest identifies a path in the name of a version.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// fresh returns the name of a new version of the file key.
func fresh(key string) string {
	return time.Now().UTC().Format(idLayout) + "-" + strings.ToLower(rand.Text()[:4]) + "." + digest(key)
}

// put moves the file name of a directory onto the shelf, as a version of the file key,
// and removes excess versions.
func (s *versionStore) put(from *os.Root, name, key string, info fs.FileInfo) error {
	as := fresh(key)
	err := errors.ErrUnsupported
	if links(info) == 1 { // otherwise the version would change with the other names
		err = carry(from, name, s.root, as)
	}
	if uncarried(err) {
		if err = s.copy(from, name, as); err == nil {
			if err = from.Remove(name); err != nil {
				err = errors.Join(err, s.root.Remove(as))
			}
		}
	}
	if err == nil {
		s.settle(key, info.Size())
	}
	return err
}

// uncarried reports whether a file could not be moved because it is on another file
// system, or the system does not support such moves.
func uncarried(err error) bool {
	return errors.Is(err, syscall.EXDEV) || errors.Is(err, errors.ErrUnsupported) || unlinkable(err)
}

// copy copies a file onto the shelf.
func (s *versionStore) copy(from *os.Root, name, as string) error {
	in, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return err
	}
	temp := tempPrefix + rand.Text()
	out, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(info.Mode().Perm()), out.Sync(), out.Close())
	if err == nil {
		err = errors.Join(s.root.Chtimes(temp, time.Time{}, info.ModTime()), s.root.Rename(temp, as))
	}
	if err != nil {
		return errors.Join(err, s.root.Remove(temp))
	}
	return nil
}

// settle counts a version of the file key that is now on the shelf.
func (s *versionStore) settle(key string, size int64) {
	names, err := s.names()
	if err != nil {
		return // the next version of the file removes the excess
	}
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	if s.usage.counted.IsZero() {
		s.usage.refresh(0)
	} else {
		s.usage.kept = s.usage.kept.plus(amount{size, 1})
	}
	suffix := "." + digest(key)
	mine := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasSuffix(name, suffix) })
	for len(mine) > s.usage.limits.Versions {
		s.drop(mine[0])
		mine = mine[1:]
	}
	if most := s.usage.limits.VersionBytes; most > 0 && s.usage.kept.bytes > most || len(names) > maxVersions {
		s.usage.prune(s.usage.kept, most-most/8, maxVersions-maxVersions/8) // so that not every write has to do it
	}
}

// names lists the versions, the oldest first.
func (s *versionStore) names() ([]string, error) {
	h, err := s.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := h.Readdirnames(-1)
	if err = errors.Join(err, h.Close()); err != nil {
		return nil, err
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, tempPrefix) }), nil
}

// drop removes a version and returns the freed amount. It needs the usage's mu.
func (s *versionStore) drop(name string) (gone amount) {
	info, err := s.root.Lstat(name)
	if err != nil || s.root.Remove(name) != nil {
		return amount{}
	}
	gone = amount{info.Size(), 1}
	s.usage.kept, s.usage.held = s.usage.kept.minus(gone), s.usage.held.minus(gone)
	return gone
}

// prune removes the oldest versions until sum, of which they are a part, is within the
// limits. 0 means no limit. It needs mu.
func (u *usage) prune(sum amount, maxBytes, maxFiles int64) {
	s := versionStore{usage: u}
	var err error
	if s.root, err = os.OpenRoot(u.dir + versionsSuffix); err != nil {
		return
	}
	defer s.close()
	names, err := s.names()
	if err != nil {
		return
	}
	over := func(n, most int64) bool { return most > 0 && n > most }
	for _, name := range names {
		if !over(sum.bytes, maxBytes) && !over(sum.files, maxFiles) {
			return
		}
		sum = sum.minus(s.drop(name))
	}
}

// versions lists those of the file key, the newest first.
func (s *versionStore) versions(key string) ([]tool.Version, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var all []tool.Version
	for _, name := range slices.Backward(names) {
		id, ok := strings.CutSuffix(name, "."+digest(key))
		if !ok {
			continue
		}
		info, err := s.root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // removed since it was listed
		}
		v := tool.Version{ID: id, Size: info.Size(), Modified: info.ModTime()}
		if stamp, _, cut := strings.Cut(id, "-"); cut {
			v.Replaced, _ = time.Parse(idLayout, stamp)
		}
		all = append(all, v)
	}
	return all, nil
}
