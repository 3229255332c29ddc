package store

import "database/sql"

func (s *sqliteDB) stats() []sql.DBStats { return []sql.DBStats{s.read.Stats(), s.write.Stats()} }

func (p *postgresDB) stats() []sql.DBStats {
	return []sql.DBStats{p.owner.Stats(), p.persons.Stats()}
}
