// Package calls answers operations about many calls: the list with its filters and searches,
// statistics of tools, dead letters, and the records of looks at what belongs to others.
//
// It promises that a call is listed once, and that a look at a call of somebody else is on the
// trail before it is answered. It does not promise a view of one moment: calls end while they
// are listed.
package calls
