//go:build !linux

package workspace

import "time"

// Times returns nothing on this system.
func (f *folder) Times(name string) (created, accessed time.Time, err error) {
	_, err = f.Stat(name)
	return time.Time{}, time.Time{}, err
}
