"""Pure values: lineage bodies, intervals of edges, questions and answers, times. No SQL."""
