// Package testdata finds the data that tests read but the repository does not hold.
package testdata

import (
	"archive/zip"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// env names the directory that holds the data, when it is not beside the repository.
const env = "GORT_SHARED"

// Dir returns a directory of test data, such as "conformance": below $GORT_SHARED
// or in a directory named shared beside the repository or above it. Without it the
// test is skipped; where the variable CI is set, it fails instead.
func Dir(t testing.TB, name string) string {
	t.Helper()
	if root := os.Getenv(env); root != "" {
		dir := filepath.Join(root, name)
		if isDir(dir) {
			return dir
		}
		t.Fatalf("%s is set but %s is no directory", env, dir)
	}
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if dir := filepath.Join(at, "shared", name); isDir(dir) {
			return dir
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	const missing = "test data %q not found: set %s, or put it into a directory named shared beside the repository"
	if os.Getenv("CI") != "" {
		t.Fatalf(missing, name, env)
	}
	t.Skipf("SKIPPED, NOT TESTED: "+missing, name, env)
	return ""
}

// Zip opens a zip file of test data until the test ends. The reader is an [io/fs.FS].
func Zip(t testing.TB, dir, file string) *zip.ReadCloser {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join(Dir(t, dir), file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return z
}

// Table reads one of the tables beside ONNX's backend suite: its rows, and where each
// column is.
func Table(t testing.TB, name string) (rows [][]string, column map[string]int) {
	t.Helper()
	f, err := os.Open(filepath.Join(Dir(t, "conformance"), "tables", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	if rows, err = r.ReadAll(); err != nil {
		t.Fatal(err)
	}
	column = map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	return rows[1:], column
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
