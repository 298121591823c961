"""Pure values: lineage bodies and their checksums, intervals of edges, times. No SQL."""
