package store

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Locate returns the options that open the database of a URL, postgres://… or
// sqlite:///DIR/store.db, or of a data directory.
func Locate(text string) (Options, error) {
	switch {
	case text == "":
		return Options{}, fmt.Errorf("the database is missing: postgres://USER:PASSWORD@HOST/DB, sqlite:///DIR/store.db, or a data directory")
	case strings.HasPrefix(text, "postgres://"), strings.HasPrefix(text, "postgresql://"):
		return Options{URL: text}, nil
	case !strings.Contains(text, "://"):
		dir, err := filepath.Abs(text) // SQLite gets a URL, which cannot have a relative path
		return Options{Dir: dir}, err
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "sqlite":
		return Options{}, fmt.Errorf("a database is postgres://USER:PASSWORD@HOST/DB, sqlite:///DIR/store.db, or a data directory")
	case u.Host != "" || filepath.Base(u.Path) != sqliteFile:
		return Options{}, fmt.Errorf("the file of a store is sqlite:///DIR/%s, with an absolute path, not %.200s", sqliteFile, text)
	}
	return Options{Dir: filepath.Dir(filepath.FromSlash(u.Path))}, nil
}

// sqliteFile is the name of the file in the data directory.
const sqliteFile = "store.db"
