package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Backup writes a copy of a SQLite database to a file that does not exist, while workers
// use the database. Of PostgreSQL, pg_dump makes backups.
func (s *Store) Backup(ctx context.Context, file string) error {
	db, ok := s.db.(*sqliteDB)
	if !ok {
		return errors.New("this database is PostgreSQL: make its backups with pg_dump")
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite would make a file that everybody may read
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; name a new file", file)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	err = db.alone(ctx, func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, "VACUUM INTO ?", file)
		return err
	})
	if err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}
