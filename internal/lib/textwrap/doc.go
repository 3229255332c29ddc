// Package textwrap breaks lines where Unicode allows a break, measured in terminal
// columns.
//
// Wide characters count two columns. It stops soon after the output exceeds the limit
// of package bounded. Words are not hyphenated.
package textwrap
