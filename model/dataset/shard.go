package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/atomicfile"
)

// Split names a part of a dataset.
type Split string

// The splits.
const (
	Train   Split = "train"
	HeldOut Split = "heldout"
)

func shardPath(dir string, split Split, shard int) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%05d.parquet", split, shard))
}

// shards lists the files of a split, in order.
func shards(dir string, split Split) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), string(split)+"-") && strings.HasSuffix(e.Name(), ".parquet") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

// rowGroup is how many sequences lie together in a file: what a reader decodes
// at once.
const rowGroup = 1024

// shardWriter writes the rows of one file.
type shardWriter struct {
	rows *parquet.GenericWriter[Sequence]
}

func (w *shardWriter) write(sequences []Sequence) error {
	_, err := w.rows.Write(sequences)
	return err
}

// writeShard gives path the sequences that write writes; it appears when it is
// whole.
func writeShard(path string, write func(*shardWriter) error) error {
	return atomicfile.Write(path, func(out io.Writer) error {
		w := &shardWriter{parquet.NewGenericWriter[Sequence](out, parquet.MaxRowsPerRowGroup(rowGroup))}
		if err := write(w); err != nil {
			return err
		}
		return w.rows.Close()
	})
}

// tokens is what training needs of a Sequence; reading only these columns is
// several times faster.
type tokens struct {
	InputIDs []int32 `parquet:"input_ids,list"`
	LossMask []bool  `parquet:"loss_mask,list"`
	Source   string  `parquet:"source"`
}

// shardReader reads the rows of one file in order.
type shardReader[T any] struct {
	path string
	file *os.File
	pf   *parquet.File
	rows *parquet.GenericReader[T]
}

func openShard[T any](path string) (*shardReader[T], error) {
	f, err := regularfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a shard: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read a shard: %w", err), f.Close())
	}
	pf, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the shard %s: %w; delete it and its .json, and make the dataset again", path, err), f.Close())
	}
	return &shardReader[T]{path: path, file: f, pf: pf, rows: parquet.NewGenericReader[T](pf)}, nil
}

// next returns up to n further rows; none at the end.
func (r *shardReader[T]) next(n int) ([]T, error) {
	rows := make([]T, n)
	filled := 0
	for filled < n {
		got, err := r.rows.Read(rows[filled:])
		filled += got
		if errors.Is(err, io.EOF) || err == nil && got == 0 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the shard %s: %w", r.path, err)
		}
	}
	return rows[:filled], nil
}

func (r *shardReader[T]) count() int { return int(r.rows.NumRows()) }

// tokens is the number of tokens in all rows. The file's end tells it.
func (r *shardReader[T]) tokens() (int64, error) {
	ids, ok := r.pf.Schema().Lookup("input_ids", "list", "element")
	if !ok {
		return 0, fmt.Errorf("read the shard %s: it has no column of token ids", r.path)
	}
	var n int64
	for _, group := range r.pf.RowGroups() {
		n += group.ColumnChunks()[ids.ColumnIndex].NumValues()
	}
	return n, nil
}

func (r *shardReader[T]) seek(row int) error {
	if err := r.rows.SeekToRow(int64(row)); err != nil {
		return fmt.Errorf("read the shard %s: %w", r.path, err)
	}
	return nil
}

func (r *shardReader[T]) close() error { return errors.Join(r.rows.Close(), r.file.Close()) }

// ReadSequences reads all rows of a split.
func ReadSequences(dir string, split Split) ([]Sequence, error) {
	paths, err := shards(dir, split)
	if err != nil {
		return nil, fmt.Errorf("read a dataset: %w", err)
	}
	var all []Sequence
	for _, path := range paths {
		r, err := openShard[Sequence](path)
		if err != nil {
			return nil, err
		}
		rows, err := r.next(r.count())
		if err := errors.Join(err, r.close()); err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}
