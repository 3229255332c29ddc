package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// digest is the number of rows and the sum of their hashes, whatever their order.
type digest struct {
	rows int64
	sum  [sha256.Size / 8]uint64
}

// add adds a row. A value beyond those of the columns is the words of a document.
func (d *digest) add(columns []string, values []any) {
	h := sha256.New()
	for i, v := range values {
		var text string
		switch v := v.(type) {
		case nil:
			text = "-"
		case []byte:
			text = "b" + string(v)
		case []string:
			words := slices.Clone(v)
			slices.Sort(words)
			text = "w" + strings.Join(words, " ")
		case string:
			text = "s" + v
			if i < len(columns) && columns[i] == "doc" {
				text = "d" + string(canonical([]byte(v)))
			}
		default:
			text = fmt.Sprint("n", v)
		}
		fmt.Fprintf(h, "%d:%s,", len(text), text)
	}
	d.rows++
	for i, sum := 0, h.Sum(nil); i < len(d.sum); i++ {
		d.sum[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
}
