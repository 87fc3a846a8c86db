BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE attempts (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	session_number INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	failure_category TEXT, 
	failure_reason TEXT, 
	failure_message TEXT, 
	slot_shape TEXT, 
	block_id TEXT, 
	node TEXT, 
	slot_index INTEGER, 
	cores TEXT, 
	devices TEXT, 
	submitted_us BIGINT NOT NULL, 
	process_start_us BIGINT, 
	ready_us BIGINT, 
	run_start_us BIGINT, 
	timed_window_start_us BIGINT, 
	timed_window_stop_us BIGINT, 
	run_stop_us BIGINT, 
	process_stop_us BIGINT, 
	received_us BIGINT, 
	fom_seconds FLOAT, 
	accuracy FLOAT, 
	exit_code INTEGER, 
	signal TEXT, 
	peak_memory_bytes BIGINT, 
	cpu_seconds FLOAT, 
	environment_sha256 TEXT, 
	observed TEXT, 
	data_facts TEXT, 
	stdout_path TEXT, 
	stderr_path TEXT, 
	stderr_tail TEXT, 
	observation_sha256 TEXT, 
	clock_offset_max_us BIGINT, 
	run_start_arrived_us BIGINT, 
	timed_window_start_arrived_us BIGINT, 
	timed_window_stop_arrived_us BIGINT, 
	run_stop_arrived_us BIGINT, 
	run_start_cpu_seconds FLOAT, 
	timed_window_stop_cpu_seconds FLOAT, 
	run_stop_cpu_seconds FLOAT, 
	clock_offset_min_us BIGINT, 
	CONSTRAINT pk_attempts PRIMARY KEY (campaign_id, instance_id, attempt_number), 
	CONSTRAINT fk_attempts_campaign_id_instance_id FOREIGN KEY(campaign_id, instance_id) REFERENCES instances (campaign_id, instance_id), 
	CONSTRAINT uq_attempts_token UNIQUE (token), 
	CONSTRAINT fk_attempts_environment_sha256 FOREIGN KEY(environment_sha256) REFERENCES documents (sha256), 
	CONSTRAINT fk_attempts_observation_sha256 FOREIGN KEY(observation_sha256) REFERENCES documents (sha256)
)
 WITHOUT ROWID

;
INSERT INTO "attempts" VALUES(1,0,1,'coral2-base-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000060000000,1790000060105593,1790000064569343,1790000080047852,NULL,NULL,1790000704805008,1790000705010136,1790000704990419,624.757156,0.80709,0,NULL,1699760025,1062.087,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base/logs/0.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',26082,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,1,1,'coral2-base-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000060000137,1790000060111945,1790000065124251,1790000080050070,NULL,NULL,1790000705862733,1790000706449828,1790000706432039,625.812663,0.805898,0,NULL,1574914401,1063.882,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base/logs/1.1.out',NULL,NULL,'50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2',25747,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,2,1,'coral2-base-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000060000274,1790000060111352,1790000065716727,1790000080034185,NULL,NULL,1790000675404905,1790000675760742,1790000675741973,595.37072,0.802332,0,NULL,1760306217,1012.13,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base/logs/2.1.out',NULL,NULL,'88d0740778ad14985660a8fdba5cb8ef4016a3273bb02149547d2af3269ae739',24964,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,3,1,'coral2-base-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000060000411,1790000060110516,1790000064450427,1790000080028197,NULL,NULL,1790000674668202,1790000674968814,1790000674951557,594.640005,0.80298,0,NULL,1772759318,1010.888,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base/logs/3.1.out',NULL,NULL,'b01b19c29efbe2307a22212f22d1ebd5e0fc376620dc8dd9e2619755738e3a86',25975,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,4,1,'coral2-base-4.1',1,'lost','infrastructure','node failed','its node is gone','c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790000060000548,1790000060029694,NULL,NULL,NULL,NULL,NULL,NULL,1790000702091669,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'958210db48c16d94c68501b7d914d72ce48e21c0558a13cd47e62ee74186fb2a',-16714,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,4,2,'coral2-base-4.2',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0002',0,'0,1','GPU-nid0002-0',1790000708432039,1790000708504648,1790000712692958,1790000728475837,NULL,NULL,1790001331971008,1790001332199849,1790001332190936,603.495171,0.805322,0,NULL,1788339137,1025.942,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-0"}], "host": "nid0002", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base/logs/4.2.out',NULL,NULL,'c00737b3c5e5f65c49f0337242f521910e702edbaf1aacddc48384c68df33ea0',17803,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,5,1,'coral2-base-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'2,3','GPU-nid0001-1',1790000060000685,1790000060051183,1790000065653546,1790000079993356,NULL,NULL,1790000689833828,1790000690387847,1790000690409618,609.840472,0.802021,0,NULL,1275857395,1036.729,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1005, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base/logs/5.1.out',NULL,NULL,'42947718f3e46259b4bc237523bc78b8e68ba6be6c5ca7e12cf0074cf146d300',-16405,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,6,1,'coral2-base-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790001334190936,1790001334272271,1790001339537220,1790001354232504,NULL,NULL,1790001377267073,1790001377684964,1790001377666355,23.034569,0.595157,0,NULL,2025558015,39.159,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1006, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-base/logs/6.1.out',NULL,NULL,'e1f2786e72042257da5432989564a04ca39c6f72ea9b80046c7e7dfa5b47ee0a',25990,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,7,1,'coral2-base-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790001334191073,1790001334290779,1790001339402411,1790001354216974,NULL,NULL,1790001376742224,1790001377328245,1790001377310924,22.52525,0.593779,0,NULL,1986150623,38.293,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1007, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-base/logs/7.1.out',NULL,NULL,'6c0d14f1b3aa0e07ae752f86fe2bd7604ed7fa8156fc611c2b4955debc7c2a8b',24490,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,8,1,'coral2-base-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790001334191210,1790001334259284,1790001338552740,1790001354237905,NULL,NULL,1790001377688078,1790001378199347,1790001378183746,23.450173,0.592813,0,NULL,1335248826,39.865,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1008, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-base/logs/8.1.out',NULL,NULL,'b39a2cd854a87093ed7c58f9b715ffd99c0533c864e3c9cf37d7e2107a8039d2',25707,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,9,1,'coral2-base-9.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790001334191347,1790001334303395,1790001340002250,1790001354225174,NULL,NULL,1790001377856426,1790001378098349,1790001378079150,23.631252,0.594896,0,NULL,2116212490,40.173,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1009, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-base/logs/9.1.out',NULL,NULL,'f182c3aa6374eb9cb2033a6597c15a7c6e5553b193ec875a769b8f51923481d2',24441,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,10,1,'coral2-base-10.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790005103380905,1790005103445663,1790005108853350,1790005123423913,NULL,NULL,1790005145916078,1790005146454479,1790005146437815,22.492165,0.593713,0,NULL,1507626748,38.237,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1010, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-base/logs/10.1.out',NULL,NULL,'e1f2786e72042257da5432989564a04ca39c6f72ea9b80046c7e7dfa5b47ee0a',24236,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,11,1,'coral2-base-11.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790005103381042,1790005103484877,1790005108753150,1790005123407271,NULL,NULL,1790005145813717,1790005146347579,1790005146328015,22.406446,0.595349,0,NULL,1634328376,38.091,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1011, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-base/logs/11.1.out',NULL,NULL,'6c0d14f1b3aa0e07ae752f86fe2bd7604ed7fa8156fc611c2b4955debc7c2a8b',24313,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,12,1,'coral2-base-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790001380183746,1790001380255962,1790001386039081,1790001400232417,1790001402232417,1790001413715989,1790001413815989,1790001414017599,1790001413997180,0.11483572,NULL,0,NULL,1344899606,23.092,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1012, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/12.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',25798,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,13,1,'coral2-base-13.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790001380183883,1790001380254963,1790001385410268,1790001400215172,1790001402215172,1790001414112444,1790001414212444,1790001414797285,1790001414778000,0.11897272,NULL,0,NULL,1723461929,23.795,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1013, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/13.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',25043,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,14,1,'coral2-base-14.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790001380184020,1790001380289557,1790001386107027,1790001400224088,1790001402224088,1790001414367240,1790001414467240,1790001414997066,1790001414977112,0.12143152,NULL,0,NULL,1982433783,24.213,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1014, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/14.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',25233,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,15,1,'coral2-base-15.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790001380184157,1790001380262562,1790001385327383,1790001400230054,1790001402230054,1790001414513019,1790001414613019,1790001415181350,1790001415162055,0.12282965,NULL,0,NULL,1702130670,24.451,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1015, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/15.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',25794,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,16,1,'coral2-base-16.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790001380184294,1790001380235111,1790001385932625,1790001400186758,1790001402186758,1790001413806327,1790001413906327,1790001414343825,1790001414370293,0.11619569,NULL,0,NULL,1841521197,23.323,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1016, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/16.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',-17547,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,17,1,'coral2-base-17.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'2,3','GPU-nid0001-1',1790001380184431,1790001380232289,1790001385963931,1790001400192974,1790001402192974,1790001414219537,1790001414319537,1790001414717236,1790001414743369,0.12026563,NULL,0,NULL,1608885514,24.015,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1017, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/17.1.out',NULL,NULL,'a136c8d085381a39ac7620ec41c89985c555cb56ef27294cd33ef03fc83bba7c',-17436,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,18,1,'coral2-base-18.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790001417162055,1790001417260622,1790001422928557,1790001437200241,1790001439200241,1790001499708305,1790001499808305,1790001500400830,1790001500380905,0.60508064,NULL,0,NULL,1548345411,106.434,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1018, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/18.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',25331,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,19,1,'coral2-base-19.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790001417162192,1790001417247580,1790001421437956,1790001437198912,1790001439198912,1790001499367462,1790001499467462,1790001500000655,1790001499984397,0.6016855,NULL,0,NULL,1514908505,105.857,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1019, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/19.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',25231,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,20,1,'coral2-base-20.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790001417162329,1790001417239862,1790001421414623,1790001437207484,1790001439207484,1790001496881163,1790001496981163,1790001497409308,1790001497389607,0.57673679,NULL,0,NULL,1156755985,101.615,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1020, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/20.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',24792,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,21,1,'coral2-base-21.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790001417162466,1790001417271647,1790001421480655,1790001437200714,1790001439200714,1790001499546657,1790001499646657,1790001500085485,1790001500064836,0.60345943,NULL,0,NULL,1283435459,106.158,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1021, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/21.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',24342,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,22,1,'coral2-base-22.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790001417162603,1790001417197899,1790001423109788,1790001437145752,1790001439145752,1790001497731180,1790001497831180,1790001498375307,1790001498396933,0.58585428,NULL,0,NULL,1546108449,103.165,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1022, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/22.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',-16252,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,23,1,'coral2-base-23.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'2,3','GPU-nid0001-1',1790001417162740,1790001417189623,1790001422972607,1790001437172136,1790001439172136,1790001499001634,1790001499101634,1790001499426247,1790001499449043,0.59829498,NULL,0,NULL,1551303930,105.28,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1023, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/23.1.out',NULL,NULL,'a136c8d085381a39ac7620ec41c89985c555cb56ef27294cd33ef03fc83bba7c',-17039,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,24,1,'coral2-base-24.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790005148437815,1790005148515349,1790005153702321,1790005168468119,1790005170468119,1790005202692333,1790005202792333,1790005203381599,1790005203364527,0.32224214,NULL,0,NULL,1607512059,58.351,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1024, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/24.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',24294,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,25,1,'coral2-base-25.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790005148437952,1790005148551273,1790005153945205,1790005168464865,1790005170464865,1790005201974039,1790005202074039,1790005202641129,1790005202621045,0.31509174,NULL,0,NULL,1421468780,57.136,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1025, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/25.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',24552,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,26,1,'coral2-base-26.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790005148438089,1790005148536850,1790005153396819,1790005168485010,1790005170485010,1790005201841480,1790005201941480,1790005202477133,1790005202461765,0.3135647,NULL,0,NULL,1210200150,56.876,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1026, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/26.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',24659,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,27,1,'coral2-base-27.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790005148438226,1790005148540990,1790005153791950,1790005168485643,1790005170485643,1790005201674399,1790005201774399,1790005201977330,1790005201961777,0.31188756,NULL,0,NULL,1640646072,56.591,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1027, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/27.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',24638,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,28,1,'coral2-base-28.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790005148438363,1790005148462385,1790005153129800,1790005168435977,1790005170435977,1790005201660742,1790005201760742,1790005202130200,1790005202156007,0.31224765,NULL,0,NULL,1630235074,56.652,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1028, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/28.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',-16589,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,29,1,'coral2-base-29.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'2,3','GPU-nid0001-1',1790005148438500,1790005148506335,1790005153313216,1790005168421554,1790005170421554,1790005202667377,1790005202767377,1790005202981330,1790005203004317,0.32245823,NULL,0,NULL,1804177848,58.388,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1029, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/29.1.out',NULL,NULL,'a136c8d085381a39ac7620ec41c89985c555cb56ef27294cd33ef03fc83bba7c',-16745,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,30,1,'coral2-base-30.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790005205364527,1790005205444570,1790005209781612,1790005225402524,1790005227402524,1790005306190943,1790005306290943,1790005306576775,1790005306561223,0.78788419,NULL,0,NULL,1998023801,137.51,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1030, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/30.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',25002,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,31,1,'coral2-base-31.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790005205364664,1790005205453339,1790005210064766,1790005225402545,1790005227402545,1790005310102674,1790005310202674,1790005310774986,1790005310759419,0.82700129,NULL,0,NULL,1522216751,144.16,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1031, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/31.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',25740,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,32,1,'coral2-base-32.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790005205364801,1790005205464956,1790005210300098,1790005225405292,1790005227405292,1790005308591168,1790005308691168,1790005308996104,1790005308978395,0.81185876,NULL,0,NULL,2097244515,141.586,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1032, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/32.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',24760,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,33,1,'coral2-base-33.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790005205364938,1790005205437239,1790005209733906,1790005225392055,1790005227392055,1790005310386266,1790005310486266,1790005311018647,1790005310998904,0.82994211,NULL,0,NULL,1112970191,144.66,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1033, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/33.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',25865,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,34,1,'coral2-base-34.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790005205365075,1790005205406648,1790005209807668,1790005225363548,1790005227363548,1790005310361543,1790005310461543,1790005310860661,1790005310886181,0.82997995,NULL,0,NULL,1372923720,144.667,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1034, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/34.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',-17778,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,35,1,'coral2-base-35.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'2,3','GPU-nid0001-1',1790005205365212,1790005205398202,1790005209659053,1790005225374854,1790005227374854,1790005309450616,1790005309550616,1790005309930183,1790005309954350,0.82075762,NULL,0,NULL,1263103501,143.099,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1035, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/35.1.out',NULL,NULL,'a136c8d085381a39ac7620ec41c89985c555cb56ef27294cd33ef03fc83bba7c',-16965,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,36,1,'coral2-base-36.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790005312998904,1790005313065955,1790005317408314,1790005333034767,1790005335034767,1790005341725578,1790005341825578,1790005342031855,1790005342014510,0.000522719609,NULL,0,NULL,2080436623,14.944,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1036, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/36.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',25352,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,37,1,'coral2-base-37.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790005312999041,1790005313077920,1790005317126565,1790005333035915,1790005335035915,1790005341959220,1790005342059220,1790005342572685,1790005342554717,0.000540883203,NULL,0,NULL,1707757436,15.34,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1037, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/37.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',25828,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,38,1,'coral2-base-38.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790005312999178,1790005313072766,1790005318483229,1790005333046788,1790005335046788,1790005342124095,1790005342224095,1790005342568696,1790005342548894,0.000552914609,NULL,0,NULL,1248379019,15.601,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1038, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/38.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',26100,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,39,1,'coral2-base-39.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790005312999315,1790005313100168,1790005317540414,1790005333026419,1790005335026419,1790005341912508,1790005342012508,1790005342310968,1790005342292936,0.000537975703,NULL,0,NULL,1967139679,15.276,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1039, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/39.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',24288,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,40,1,'coral2-base-40.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790005312999452,1790005313027638,1790005318945963,1790005332983558,1790005334983558,1790005341871231,1790005341971231,1790005342259120,1790005342284637,0.000538099453,NULL,0,NULL,2050982708,15.279,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1040, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/40.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',-17473,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,41,1,'coral2-base-41.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'2,3','GPU-nid0001-1',1790005312999589,1790005313021242,1790005318990394,1790005332980735,1790005334980735,1790005341665534,1790005341765534,1790005341974040,1790005341997717,0.000522249922,NULL,0,NULL,1375517691,14.934,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1041, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base/logs/41.1.out',NULL,NULL,'a136c8d085381a39ac7620ec41c89985c555cb56ef27294cd33ef03fc83bba7c',-17138,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,42,1,'coral2-base-42.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1,2,3','GPU-nid0000-0,GPU-nid0000-1',1790005344554717,1790005344657690,1790005350627412,1790005364600417,NULL,NULL,1790006692475651,1790006692975485,1790006692958223,1327.87523,75.3788,0,NULL,1581488944,2257.388,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}, {"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1042, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0000", "pid": 2420}, {"cpuset": [2, 3], "host": "nid0000", "pid": 2421}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/42.1.out',NULL,NULL,'d75cfc85b310b54618a1fb9a69b4fc2243d8a21883ee8e696e4f3e0a8a4ed523',26153,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,43,1,'coral2-base-43.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'4,5,6,7','GPU-nid0000-2,GPU-nid0000-3',1790005344554854,1790005344657086,1790005349067831,1790005364593188,NULL,NULL,1790006657618531,1790006658008926,1790006657991638,1293.02534,75.5198,0,NULL,1414129775,2198.143,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1043, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0000", "pid": 2430}, {"cpuset": [6, 7], "host": "nid0000", "pid": 2431}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/43.1.out',NULL,NULL,'5e073b6bed0f5cca6b6cb4c156771c78fa6d05fc21f876350e95bab9d17b07a5',25562,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,44,1,'coral2-base-44.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1,2,3','GPU-nid0001-0,GPU-nid0001-1',1790005344554991,1790005344605238,1790005348743196,1790005364565931,NULL,NULL,1790006657413703,1790006657836471,1790006657858953,1292.84777,75.9884,0,NULL,1465226493,2197.841,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}, {"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1044, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0001", "pid": 2440}, {"cpuset": [2, 3], "host": "nid0001", "pid": 2441}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/44.1.out',NULL,NULL,'085bf8c5a167ab38937ec4e487f309ad6b04c72e153ccbcf408ecb45635d89d8',-17918,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,45,1,'coral2-base-45.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'4,5,6,7','GPU-nid0001-2,GPU-nid0001-3',1790005344555128,1790005344605153,1790005348706669,1790005364558527,NULL,NULL,1790006709358061,1790006709628890,1790006709651052,1344.79953,75.9323,0,NULL,1240547385,2286.159,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-2"}, {"name": "A100", "uuid": "GPU-nid0001-3"}], "host": "nid0001", "pid": 1045, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0001", "pid": 2450}, {"cpuset": [6, 7], "host": "nid0001", "pid": 2451}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/45.1.out',NULL,NULL,'cf97365deb37b41e0933af8607c3c97ebe797e670eeeb774bd5a6b21778fd966',-16758,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,46,1,'coral2-base-46.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0002',0,'0,1,2,3','GPU-nid0002-0,GPU-nid0002-1',1790005344555265,1790005344658476,1790005349958713,1790005364585275,NULL,NULL,1790006646613168,1790006646884575,1790006646874455,1282.02789,75.3284,0,NULL,1112641073,2179.447,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-0"}, {"name": "A100", "uuid": "GPU-nid0002-1"}], "host": "nid0002", "pid": 1046, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0002", "pid": 2460}, {"cpuset": [2, 3], "host": "nid0002", "pid": 2461}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/46.1.out',NULL,NULL,'f4ce7356f886db3eec03ff51edbd2e5b94aa786e6ebd8ea3e9f2013cc3a0a026',17943,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,47,1,'coral2-base-47.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0002',1,'4,5,6,7','GPU-nid0002-2,GPU-nid0002-3',1790005344555402,1790005344645795,1790005349487904,1790005364597440,NULL,NULL,1790006714048176,1790006714355498,1790006714344276,1349.45074,75.5969,0,NULL,1474608587,2294.066,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-2"}, {"name": "A100", "uuid": "GPU-nid0002-3"}], "host": "nid0002", "pid": 1047, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0002", "pid": 2470}, {"cpuset": [6, 7], "host": "nid0002", "pid": 2471}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/47.1.out',NULL,NULL,'15b09a1c76c5baa9a6fae7e2e2c0bc2a0b89bc88793bec153c80c834ee6f2e74',18433,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,48,1,'coral2-base-48.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0003',0,'0,1,2,3','GPU-nid0003-0,GPU-nid0003-1',1790005344555539,1790005344605749,1790005349711206,1790005364552011,NULL,NULL,1790006658439282,1790006658659538,1790006658675474,1293.88727,75.6388,0,NULL,1500067629,2199.608,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-0"}, {"name": "A100", "uuid": "GPU-nid0003-1"}], "host": "nid0003", "pid": 1048, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0003", "pid": 2480}, {"cpuset": [2, 3], "host": "nid0003", "pid": 2481}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/48.1.out',NULL,NULL,'62bf9459279d610d1a95141cc26cb36b04d85c049b68d556a4bd0d1c39a0e770',-5379,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,49,1,'coral2-base-49.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0003',1,'4,5,6,7','GPU-nid0003-2,GPU-nid0003-3',1790005344555676,1790005344617437,1790005348778529,1790005364549717,NULL,NULL,1790006720169376,1790006720388192,1790006720401763,1355.61966,75.5085,0,NULL,1291117350,2304.553,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-2"}, {"name": "A100", "uuid": "GPU-nid0003-3"}], "host": "nid0003", "pid": 1049, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0003", "pid": 2490}, {"cpuset": [6, 7], "host": "nid0003", "pid": 2491}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/49.1.out',NULL,NULL,'8d25afec994556a626d1cb187d4fa2bff2b67ab97f5d234087478384571f31d6',-5859,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,50,1,'coral2-base-50.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0004',0,'0,1,2,3','GPU-nid0004-0,GPU-nid0004-1',1790005344555813,1790005344627056,1790005348837024,1790005364568197,NULL,NULL,1790006675674138,1790006676083423,1790006676086989,1311.10594,75.3752,0,NULL,2092465012,2228.88,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-0"}, {"name": "A100", "uuid": "GPU-nid0004-1"}], "host": "nid0004", "pid": 1050, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0004", "pid": 2500}, {"cpuset": [2, 3], "host": "nid0004", "pid": 2501}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/50.1.out',NULL,NULL,'3ff0f0f911487c7d0b4f6c8bffffa1ec5543c133ef5cd86434cfaaa112e31132',6092,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,51,1,'coral2-base-51.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0004',1,'4,5,6,7','GPU-nid0004-2,GPU-nid0004-3',1790005344555950,1790005344644361,1790005350191486,1790005364567217,NULL,NULL,1790006710609222,1790006710832714,1790006710836550,1346.04201,75.3236,0,NULL,1253830242,2288.271,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-2"}, {"name": "A100", "uuid": "GPU-nid0004-3"}], "host": "nid0004", "pid": 1051, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0004", "pid": 2510}, {"cpuset": [6, 7], "host": "nid0004", "pid": 2511}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/51.1.out',NULL,NULL,'0335cb2dc9e1aba4686c9c9bb34083c15dbb98cee821f0be7c3106bae868e242',5280,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,52,1,'coral2-base-52.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0005',0,'0,1,2,3','GPU-nid0005-0,GPU-nid0005-1',1790005344556087,1790005344673363,1790005349080386,1790005364594026,NULL,NULL,1790006646052712,1790006646302185,1790006646276305,1281.45869,75.8813,0,NULL,1767108672,2178.48,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-0"}, {"name": "A100", "uuid": "GPU-nid0005-1"}], "host": "nid0005", "pid": 1052, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0005", "pid": 2520}, {"cpuset": [2, 3], "host": "nid0005", "pid": 2521}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/52.1.out',NULL,NULL,'efa81c97e8bca9686bbe1d88f10d41b462ea650b6b1628075cc5d391034b35ea',31585,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,53,1,'coral2-base-53.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0005',1,'4,5,6,7','GPU-nid0005-2,GPU-nid0005-3',1790005344556224,1790005344643892,1790005349690774,1790005364612982,NULL,NULL,1790006697245215,1790006697569716,1790006697546587,1332.63223,76.0241,0,NULL,1986502104,2265.475,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-2"}, {"name": "A100", "uuid": "GPU-nid0005-3"}], "host": "nid0005", "pid": 1053, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0005", "pid": 2530}, {"cpuset": [6, 7], "host": "nid0005", "pid": 2531}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/53.1.out',NULL,NULL,'c2c047c3f73d7e76faebbb19fcf19eb028ce371d4f1c2cd26e7711d87c9c6619',32772,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,54,1,'coral2-base-54.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0006',0,'0,1,2,3','GPU-nid0006-0,GPU-nid0006-1',1790005344556361,1790005344605495,1790005350059857,1790005364570995,NULL,NULL,1790006673780635,1790006674041375,1790006674044749,1309.20964,75.3768,0,NULL,2093528625,2225.656,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-0"}, {"name": "A100", "uuid": "GPU-nid0006-1"}], "host": "nid0006", "pid": 1054, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0006", "pid": 2540}, {"cpuset": [2, 3], "host": "nid0006", "pid": 2541}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/54.1.out',NULL,NULL,'7db8d24b8818ffa2868a0a06c6439b8f68873ea0d92699c5eeee747afa2bcb63',5899,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,55,1,'coral2-base-55.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0006',1,'4,5,6,7','GPU-nid0006-2,GPU-nid0006-3',1790005344556498,1790005344627167,1790005349496173,1790005364580578,NULL,NULL,1790006710213613,1790006710737718,1790006710740827,1345.63304,75.8192,0,NULL,1607481699,2287.576,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-2"}, {"name": "A100", "uuid": "GPU-nid0006-3"}], "host": "nid0006", "pid": 1055, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0006", "pid": 2550}, {"cpuset": [6, 7], "host": "nid0006", "pid": 2551}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/55.1.out',NULL,NULL,'919e8f461880fafe6943eaad49270351fa0409da01af134352ade3f821032c80',6187,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,56,1,'coral2-base-56.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0007',0,'0,1,2,3','GPU-nid0007-0,GPU-nid0007-1',1790005344556635,1790005344607751,1790005349066038,1790005364544613,NULL,NULL,1790006657451152,1790006657653759,1790006657691092,1292.90654,75.9015,0,NULL,1533227239,2197.941,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-0"}, {"name": "A100", "uuid": "GPU-nid0007-1"}], "host": "nid0007", "pid": 1056, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0007", "pid": 2560}, {"cpuset": [2, 3], "host": "nid0007", "pid": 2561}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/56.1.out',NULL,NULL,'e33c2d1078bcc73c2a0956d281ecb9148468cd6dfc201524865ff5941ada4b07',-30409,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,57,1,'coral2-base-57.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0007',1,'4,5,6,7','GPU-nid0007-2,GPU-nid0007-3',1790005344556772,1790005344570487,1790005349206304,1790005364525245,NULL,NULL,1790006654871776,1790006655285291,1790006655325051,1290.34653,75.7507,0,NULL,1516041847,2193.589,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-2"}, {"name": "A100", "uuid": "GPU-nid0007-3"}], "host": "nid0007", "pid": 1057, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0007", "pid": 2570}, {"cpuset": [6, 7], "host": "nid0007", "pid": 2571}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/57.1.out',NULL,NULL,'18821b59bc915de2233ae80745cabdca3362c523005dc664b6801230b94fc370',-29773,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,58,1,'coral2-base-58.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0008',0,'0,1,2,3','GPU-nid0008-0,GPU-nid0008-1',1790005344556909,1790005344641066,1790005350044727,1790005364586032,NULL,NULL,1790006706931659,1790006707512429,1790006707491692,1342.34563,75.3392,0,NULL,1183525149,2281.988,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-0"}, {"name": "A100", "uuid": "GPU-nid0008-1"}], "host": "nid0008", "pid": 1058, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0008", "pid": 2580}, {"cpuset": [2, 3], "host": "nid0008", "pid": 2581}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/58.1.out',NULL,NULL,'b0802f12e519c4f623dbbc410964c230c517e0d06547aea571cc822f5befc6e5',29192,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,59,1,'coral2-base-59.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0008',1,'4,5,6,7','GPU-nid0008-2,GPU-nid0008-3',1790005344557046,1790005344640141,1790005349463647,1790005364582356,NULL,NULL,1790006668551268,1790006668795801,1790006668776570,1303.96891,76.0406,0,NULL,1438404508,2216.747,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-2"}, {"name": "A100", "uuid": "GPU-nid0008-3"}], "host": "nid0008", "pid": 1059, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0008", "pid": 2590}, {"cpuset": [6, 7], "host": "nid0008", "pid": 2591}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/59.1.out',NULL,NULL,'50a91599fe501bd73d0c6e80cb2786572b33aecdc3dab47f6f6801e5e19b09ff',27474,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,60,1,'coral2-base-60.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0009',0,'0,1,2,3','GPU-nid0009-0,GPU-nid0009-1',1790005344557183,1790005344584668,1790005349897543,1790005364568752,NULL,NULL,1790006721951489,1790006722340815,1790006722360447,1357.38274,75.3869,0,NULL,1463477798,2307.551,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-0"}, {"name": "A100", "uuid": "GPU-nid0009-1"}], "host": "nid0009", "pid": 1060, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0009", "pid": 2600}, {"cpuset": [2, 3], "host": "nid0009", "pid": 2601}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/60.1.out',NULL,NULL,'a7183e8d0fa21a55150a3e2b1813d960c4df9c7c7ffc3ea2ee6d0ad46aa738ce',-12470,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,61,1,'coral2-base-61.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0009',1,'4,5,6,7','GPU-nid0009-2,GPU-nid0009-3',1790005344557320,1790005344586513,1790005349672410,1790005364548085,NULL,NULL,1790006689587316,1790006689842752,1790006689864980,1325.03923,75.5643,0,NULL,2095965435,2252.567,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-2"}, {"name": "A100", "uuid": "GPU-nid0009-3"}], "host": "nid0009", "pid": 1061, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0009", "pid": 2610}, {"cpuset": [6, 7], "host": "nid0009", "pid": 2611}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/61.1.out',NULL,NULL,'412803c6fedfc148bd198af0241ff93de2bf1d9967d03d0f8702e8e4b5782eac',-12770,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,62,1,'coral2-base-62.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0010',0,'0,1,2,3','GPU-nid0010-0,GPU-nid0010-1',1790005344557457,1790005344653329,1790005349506614,1790005364615429,NULL,NULL,1790006704159546,1790006704670346,1790006704639468,1339.54412,75.5577,0,NULL,1331276268,2277.225,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-0"}, {"name": "A100", "uuid": "GPU-nid0010-1"}], "host": "nid0010", "pid": 1062, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0010", "pid": 2620}, {"cpuset": [2, 3], "host": "nid0010", "pid": 2621}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/62.1.out',NULL,NULL,'21df93570772bac756a72df4c79dddf62574f57d1bec7f5ebe18082c714878cb',37792,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,63,1,'coral2-base-63.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0010',1,'4,5,6,7','GPU-nid0010-2,GPU-nid0010-3',1790005344557594,1790005344674218,1790005349259459,1790005364600802,NULL,NULL,1790006657319067,1790006657535037,1790006657504701,1292.71826,75.9454,0,NULL,1893234734,2197.621,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-2"}, {"name": "A100", "uuid": "GPU-nid0010-3"}], "host": "nid0010", "pid": 1063, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0010", "pid": 2630}, {"cpuset": [6, 7], "host": "nid0010", "pid": 2631}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/63.1.out',NULL,NULL,'6cddc4776c16c72236f5f05f927354dc8b3e8c93c88adf26edbe5effb99aa491',37989,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,64,1,'coral2-base-64.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0011',0,'0,1,2,3','GPU-nid0011-0,GPU-nid0011-1',1790005344557731,1790005344582225,1790005349804099,1790005364548840,NULL,NULL,1790006648228416,1790006648793855,1790006648824279,1283.67958,75.9195,0,NULL,1845706756,2182.255,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-0"}, {"name": "A100", "uuid": "GPU-nid0011-1"}], "host": "nid0011", "pid": 1064, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0011", "pid": 2640}, {"cpuset": [2, 3], "host": "nid0011", "pid": 2641}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/64.1.out',NULL,NULL,'0531df8698c3eb5d5edb2b746b483d4901d6ebe2e77c5b3ca88a29d9478ef2ae',-20545,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,65,1,'coral2-base-65.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0011',1,'4,5,6,7','GPU-nid0011-2,GPU-nid0011-3',1790005344557868,1790005344600524,1790005350374640,1790005364548497,NULL,NULL,1790006656171221,1790006656420145,1790006656447157,1291.62272,75.6668,0,NULL,1954678661,2195.759,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-2"}, {"name": "A100", "uuid": "GPU-nid0011-3"}], "host": "nid0011", "pid": 1065, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0011", "pid": 2650}, {"cpuset": [6, 7], "host": "nid0011", "pid": 2651}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/65.1.out',NULL,NULL,'13f089c308de221eb9ef83815db8902709c6ee718a0e18ea663f406c8dc75d26',-21055,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,66,1,'coral2-base-66.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0012',0,'0,1,2,3','GPU-nid0012-0,GPU-nid0012-1',1790005344558005,1790005344602427,1790005349094540,1790005364557131,NULL,NULL,1790006715893901,1790006716194191,1790006716199126,1351.33677,75.7109,0,NULL,1269874408,2297.273,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-0"}, {"name": "A100", "uuid": "GPU-nid0012-1"}], "host": "nid0012", "pid": 1066, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0012", "pid": 2660}, {"cpuset": [2, 3], "host": "nid0012", "pid": 2661}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/66.1.out',NULL,NULL,'a7c3db6849c809a45f97b6d6ab0a8250b53ceef585323037716985b7991f6482',1678,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,67,1,'coral2-base-67.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0012',1,'4,5,6,7','GPU-nid0012-2,GPU-nid0012-3',1790005344558142,1790005344599644,1790005349117594,1790005364578439,NULL,NULL,1790006681492481,1790006682082073,1790006682089250,1316.91404,75.7442,0,NULL,1423507239,2238.754,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-2"}, {"name": "A100", "uuid": "GPU-nid0012-3"}], "host": "nid0012", "pid": 1067, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0012", "pid": 2670}, {"cpuset": [6, 7], "host": "nid0012", "pid": 2671}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/67.1.out',NULL,NULL,'475ca4a83f0fbb8e1c9a54bd400d7f70a9c050695af04518efc763f9b9365fb0',1203,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,68,1,'coral2-base-68.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0013',0,'0,1,2,3','GPU-nid0013-0,GPU-nid0013-1',1790005344558279,1790005344599409,1790005349730278,1790005364528339,NULL,NULL,1790006696523792,1790006696804538,1790006696842947,1331.99545,75.7216,0,NULL,2058745714,2264.392,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-0"}, {"name": "A100", "uuid": "GPU-nid0013-1"}], "host": "nid0013", "pid": 1068, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0013", "pid": 2680}, {"cpuset": [2, 3], "host": "nid0013", "pid": 2681}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/68.1.out',NULL,NULL,'40fd6b46ed3deb3751e7b3d426d899f6470dd38888db446b46a4b59f2c44feeb',-29492,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,69,1,'coral2-base-69.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0013',1,'4,5,6,7','GPU-nid0013-2,GPU-nid0013-3',1790005344558416,1790005344593360,1790005349882123,1790005364548581,NULL,NULL,1790006658476915,1790006658861972,1790006658900166,1293.92833,75.6761,0,NULL,1897683588,2199.678,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-2"}, {"name": "A100", "uuid": "GPU-nid0013-3"}], "host": "nid0013", "pid": 1069, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0013", "pid": 2690}, {"cpuset": [6, 7], "host": "nid0013", "pid": 2691}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/69.1.out',NULL,NULL,'7fde72de944d12d6b31bee836930690919dccbdda2c3782d025ad7550da79509',-28895,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,70,1,'coral2-base-70.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0014',0,'0,1,2,3','GPU-nid0014-0,GPU-nid0014-1',1790005344558553,1790005344612656,1790005348890592,1790005364572486,NULL,NULL,1790006673107254,1790006673454763,1790006673468525,1308.53477,75.5918,0,NULL,2037893846,2224.509,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-0"}, {"name": "A100", "uuid": "GPU-nid0014-1"}], "host": "nid0014", "pid": 1070, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0014", "pid": 2700}, {"cpuset": [2, 3], "host": "nid0014", "pid": 2701}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/70.1.out',NULL,NULL,'1a2c6305d4e60890f4932f2d6f1ab386b36bdc8781016fda394d5434a52c3188',-9298,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,71,1,'coral2-base-71.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0014',1,'4,5,6,7','GPU-nid0014-2,GPU-nid0014-3',1790005344558690,1790005344614961,1790005348984196,1790005364554038,NULL,NULL,1790006646936115,1790006647239084,1790006647256364,1282.38208,75.7047,0,NULL,1921993502,2180.05,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-2"}, {"name": "A100", "uuid": "GPU-nid0014-3"}], "host": "nid0014", "pid": 1071, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0014", "pid": 2710}, {"cpuset": [6, 7], "host": "nid0014", "pid": 2711}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/71.1.out',NULL,NULL,'7ce30f3db7e2ac6c5b4071fe96f755a15f0ab885d062418cd7de9a96b4f4bc97',-8649,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,72,1,'coral2-base-72.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0015',0,'0,1,2,3','GPU-nid0015-0,GPU-nid0015-1',1790005344558827,1790005344629350,1790005350576761,1790005364607791,NULL,NULL,1790006661048088,1790006661372956,1790006661353007,1296.4403,75.9581,0,NULL,1718186947,2203.949,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-0"}, {"name": "A100", "uuid": "GPU-nid0015-1"}], "host": "nid0015", "pid": 1072, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0015", "pid": 2720}, {"cpuset": [2, 3], "host": "nid0015", "pid": 2721}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/72.1.out',NULL,NULL,'1cbb5a9dd65ce4b870e102cc82df1d79085afa9f7db0930cd58af0f952e0b514',26185,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,73,1,'coral2-base-73.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0015',1,'4,5,6,7','GPU-nid0015-2,GPU-nid0015-3',1790005344558964,1790005344647189,1790005348874258,1790005364580618,NULL,NULL,1790006707217883,1790006707470800,1790006707450862,1342.63727,75.4519,0,NULL,1477673105,2282.483,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-2"}, {"name": "A100", "uuid": "GPU-nid0015-3"}], "host": "nid0015", "pid": 1073, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0015", "pid": 2730}, {"cpuset": [6, 7], "host": "nid0015", "pid": 2731}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/73.1.out',NULL,NULL,'01e43e40c1d51ca5d99c6d5d88426659acc863deba10d9b809587242639107b3',26028,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,74,1,'coral2-base-74.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0016',0,'0,1,2,3','GPU-nid0016-0,GPU-nid0016-1',1790005344559101,1790005344639410,1790005349726947,1790005364570796,NULL,NULL,1790006689428434,1790006689708321,1790006689702373,1324.85764,76.0457,0,NULL,1816994463,2252.258,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-0"}, {"name": "A100", "uuid": "GPU-nid0016-1"}], "host": "nid0016", "pid": 1074, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0016", "pid": 2740}, {"cpuset": [2, 3], "host": "nid0016", "pid": 2741}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/74.1.out',NULL,NULL,'76969ca2b6f92f6f24b9729b212a11893ce7bf22ea430fa05b57554cf5b03b7e',11929,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,75,1,'coral2-base-75.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0016',1,'4,5,6,7','GPU-nid0016-2,GPU-nid0016-3',1790005344559238,1790005344641937,1790005350583272,1790005364590278,NULL,NULL,1790006672604132,1790006673162720,1790006673158806,1308.01385,75.8634,0,NULL,1683062889,2223.624,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-2"}, {"name": "A100", "uuid": "GPU-nid0016-3"}], "host": "nid0016", "pid": 1075, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0016", "pid": 2750}, {"cpuset": [6, 7], "host": "nid0016", "pid": 2751}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/75.1.out',NULL,NULL,'f9d7014e49e66cfa1fc163a9968a04bfa6668964869905826f925f0ace7cb434',11230,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,76,1,'coral2-base-76.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0017',0,'0,1,2,3','GPU-nid0017-0,GPU-nid0017-1',1790005344559375,1790005344625817,1790005350368091,1790005364543576,NULL,NULL,1790006696710463,1790006697085109,1790006697104093,1332.16689,75.612,0,NULL,1165141379,2264.684,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-0"}, {"name": "A100", "uuid": "GPU-nid0017-1"}], "host": "nid0017", "pid": 1076, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0017", "pid": 2760}, {"cpuset": [2, 3], "host": "nid0017", "pid": 2761}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/76.1.out',NULL,NULL,'9826a9a914f37ace9a96995b3ed1ef1bc0796ca303a563d94996055b78b52c2d',-10893,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,77,1,'coral2-base-77.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0017',1,'4,5,6,7','GPU-nid0017-2,GPU-nid0017-3',1790005344559512,1790005344608325,1790005349968026,1790005364570404,NULL,NULL,1790006718788840,1790006719128133,1790006719145225,1354.21844,75.3753,0,NULL,1917883517,2302.171,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-2"}, {"name": "A100", "uuid": "GPU-nid0017-3"}], "host": "nid0017", "pid": 1077, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0017", "pid": 2770}, {"cpuset": [6, 7], "host": "nid0017", "pid": 2771}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/77.1.out',NULL,NULL,'966ddd7987b927e3a92362c76b5ec9f87707fcab35e62486f290f14ce21f1e2d',-9342,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,78,1,'coral2-base-78.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0018',0,'0,1,2,3','GPU-nid0018-0,GPU-nid0018-1',1790005344559649,1790005344630342,1790005350145806,1790005364559658,NULL,NULL,1790006663518170,1790006663849753,1790006663861859,1298.95851,75.4864,0,NULL,1668824807,2208.229,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-0"}, {"name": "A100", "uuid": "GPU-nid0018-1"}], "host": "nid0018", "pid": 1078, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0018", "pid": 2780}, {"cpuset": [2, 3], "host": "nid0018", "pid": 2781}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/78.1.out',NULL,NULL,'e0697a9a9a9b8735393e10f0e2d8384140f9f60a78bae62d60d82bb5a7b60b0f',-4758,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,79,1,'coral2-base-79.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0018',1,'4,5,6,7','GPU-nid0018-2,GPU-nid0018-3',1790005344559786,1790005344631274,1790005349117058,1790005364570119,NULL,NULL,1790006708400737,1790006708718335,1790006708730143,1343.83062,75.5122,0,NULL,1190944543,2284.512,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-2"}, {"name": "A100", "uuid": "GPU-nid0018-3"}], "host": "nid0018", "pid": 1079, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0018", "pid": 2790}, {"cpuset": [6, 7], "host": "nid0018", "pid": 2791}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/79.1.out',NULL,NULL,'501a3ddf350da88d250131d0893f12ec42f9c771f6e13440d07067cdb5df9c67',-5466,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,80,1,'coral2-base-80.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0019',0,'0,1,2,3','GPU-nid0019-0,GPU-nid0019-1',1790005344559923,1790005344632371,1790005349266253,1790005364575385,NULL,NULL,1790006679081247,1790006679567972,1790006679563749,1314.50586,75.8362,0,NULL,2085937104,2234.66,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-0"}, {"name": "A100", "uuid": "GPU-nid0019-1"}], "host": "nid0019", "pid": 1080, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0019", "pid": 2800}, {"cpuset": [2, 3], "host": "nid0019", "pid": 2801}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/80.1.out',NULL,NULL,'b084f86e8a5fd0d1b633ee86e13aa0391a350c5d9f00b198a5a8b9853298421d',12009,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,81,1,'coral2-base-81.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0019',1,'4,5,6,7','GPU-nid0019-2,GPU-nid0019-3',1790005344560060,1790005344635099,1790005349084902,1790005364578844,NULL,NULL,1790006684739080,1790006685324976,1790006685318098,1320.16024,75.3298,0,NULL,1977977096,2244.272,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-2"}, {"name": "A100", "uuid": "GPU-nid0019-3"}], "host": "nid0019", "pid": 1081, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0019", "pid": 2810}, {"cpuset": [6, 7], "host": "nid0019", "pid": 2811}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/81.1.out',NULL,NULL,'6c47445b9a470aa82fc52eace8d3784be9a58471a0fa1452ea54674baa188c2e',11332,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,82,1,'coral2-base-82.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0020',0,'0,1,2,3','GPU-nid0020-0,GPU-nid0020-1',1790005344560197,1790005344657585,1790005350170435,1790005364613157,NULL,NULL,1790006666383412,1790006666590794,1790006666560156,1301.77025,75.9506,0,NULL,1770443002,2213.009,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-0"}, {"name": "A100", "uuid": "GPU-nid0020-1"}], "host": "nid0020", "pid": 1082, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0020", "pid": 2820}, {"cpuset": [2, 3], "host": "nid0020", "pid": 2821}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/82.1.out',NULL,NULL,'f0e6c1fc84288efdb83889535ea37b8a3348dcadf9ce7b8732bfc3473b6a3b7f',36489,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,83,1,'coral2-base-83.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0020',1,'4,5,6,7','GPU-nid0020-2,GPU-nid0020-3',1790005344560334,1790005344642384,1790005350042860,1790005364618505,NULL,NULL,1790006683839605,1790006684137242,1790006684109913,1319.2211,75.5115,0,NULL,1974562562,2242.676,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-2"}, {"name": "A100", "uuid": "GPU-nid0020-3"}], "host": "nid0020", "pid": 1083, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0020", "pid": 2830}, {"cpuset": [6, 7], "host": "nid0020", "pid": 2831}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/83.1.out',NULL,NULL,'1832b33d9ec640409fc9485499e529a6b32eadb4007b3ad664f545d1fe78138f',37373,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,84,1,'coral2-base-84.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0021',0,'0,1,2,3','GPU-nid0021-0,GPU-nid0021-1',1790005344560471,1790005344615018,1790005348822692,1790005364569279,NULL,NULL,1790006694262738,1790006694566134,1790006694563660,1329.69346,75.9322,0,NULL,1965398949,2260.479,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-0"}, {"name": "A100", "uuid": "GPU-nid0021-1"}], "host": "nid0021", "pid": 1084, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0021", "pid": 2840}, {"cpuset": [2, 3], "host": "nid0021", "pid": 2841}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/84.1.out',NULL,NULL,'172714596d2d0d4114b12a2e81766d4a93e59273ab1a79904c4d9e2e09f080fc',6960,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,85,1,'coral2-base-85.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0021',1,'4,5,6,7','GPU-nid0021-2,GPU-nid0021-3',1790005344560608,1790005344645315,1790005350454679,1790005364564919,NULL,NULL,1790006677848289,1790006678366534,1790006678365364,1313.28337,75.4905,0,NULL,1214922511,2232.582,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-2"}, {"name": "A100", "uuid": "GPU-nid0021-3"}], "host": "nid0021", "pid": 1085, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0021", "pid": 2850}, {"cpuset": [6, 7], "host": "nid0021", "pid": 2851}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/85.1.out',NULL,NULL,'2fe3238a57f3202c3996a9e61deadf5d93a0da61855cf04d5224057337434f88',7216,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,86,1,'coral2-base-86.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0022',0,'0,1,2,3','GPU-nid0022-0,GPU-nid0022-1',1790005344560745,1790005344643538,1790005350521308,1790005364597173,NULL,NULL,1790006663307061,1790006663559656,1790006663536267,1298.70989,75.4241,0,NULL,1975923819,2207.807,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-0"}, {"name": "A100", "uuid": "GPU-nid0022-1"}], "host": "nid0022", "pid": 1086, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0022", "pid": 2860}, {"cpuset": [2, 3], "host": "nid0022", "pid": 2861}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/86.1.out',NULL,NULL,'555abd9f44cee5f499051fcccf4c72ec33b719185552ba96e6c57fdca2968728',27453,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,87,1,'coral2-base-87.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0022',1,'4,5,6,7','GPU-nid0022-2,GPU-nid0022-3',1790005344560882,1790005344672869,1790005348737258,1790005364590858,NULL,NULL,1790006716937503,1790006717220291,1790006717196926,1352.34665,76.0399,0,NULL,1743163173,2298.989,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-2"}, {"name": "A100", "uuid": "GPU-nid0022-3"}], "host": "nid0022", "pid": 1087, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0022", "pid": 2870}, {"cpuset": [6, 7], "host": "nid0022", "pid": 2871}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/87.1.out',NULL,NULL,'63598a9adc716ee89f44d7ef4f4cfb09f51a206c52072c64feb6315abd2a34fd',28970,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,88,1,'coral2-base-88.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0023',0,'0,1,2,3','GPU-nid0023-0,GPU-nid0023-1',1790005344561019,1790005344632660,1790005350500584,1790005364567818,NULL,NULL,1790006682524848,1790006683014188,1790006683027036,1317.95703,75.9034,0,NULL,1968186264,2240.527,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-0"}, {"name": "A100", "uuid": "GPU-nid0023-1"}], "host": "nid0023", "pid": 1088, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0023", "pid": 2880}, {"cpuset": [2, 3], "host": "nid0023", "pid": 2881}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/88.1.out',NULL,NULL,'1f224ae97c60f4d7db4c58ad70421a4f159c6ddcc82c19640a0f50fff083037d',-3827,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,89,1,'coral2-base-89.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0023',1,'4,5,6,7','GPU-nid0023-2,GPU-nid0023-3',1790005344561156,1790005344617424,1790005349205318,1790005364578400,NULL,NULL,1790006710328007,1790006710769242,1790006710781836,1345.74961,75.6837,0,NULL,1242220571,2287.774,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-2"}, {"name": "A100", "uuid": "GPU-nid0023-3"}], "host": "nid0023", "pid": 1089, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0023", "pid": 2890}, {"cpuset": [6, 7], "host": "nid0023", "pid": 2891}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/89.1.out',NULL,NULL,'e8edf7192ae2acf8bb789f9373619487b19e1d23dc76280762c50e3d307ec916',-3933,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,90,1,'coral2-base-90.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0024',0,'0,1,2,3','GPU-nid0024-0,GPU-nid0024-1',1790005344561293,1790005344627078,1790005350607939,1790005364590414,NULL,NULL,1790006709289194,1790006709738070,1790006709737866,1344.69878,75.7608,0,NULL,2033890474,2285.988,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-0"}, {"name": "A100", "uuid": "GPU-nid0024-1"}], "host": "nid0024", "pid": 1090, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0024", "pid": 2900}, {"cpuset": [2, 3], "host": "nid0024", "pid": 2901}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/90.1.out',NULL,NULL,'22d01e6df16095f33cecee0b8b3385fb2bfaba85902791a8d447ed0bd8a711b2',7683,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,91,1,'coral2-base-91.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0024',1,'4,5,6,7','GPU-nid0024-2,GPU-nid0024-3',1790005344561430,1790005344621242,1790005350508063,1790005364574157,NULL,NULL,1790006679589395,1790006680126182,1790006680122237,1315.01524,75.5718,0,NULL,1691101262,2235.526,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-2"}, {"name": "A100", "uuid": "GPU-nid0024-3"}], "host": "nid0024", "pid": 1091, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0024", "pid": 2910}, {"cpuset": [6, 7], "host": "nid0024", "pid": 2911}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base/logs/91.1.out',NULL,NULL,'0a6cc8197a01f5357247b960898f0da4501a2f24dc6adc0c7a765921ca61b3e0',8974,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,0,1,'coral2-base-broken-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790086460000000,1790086460040939,1790086464337800,1790086479985527,NULL,NULL,1790086959034092,1790086959349711,1790086959387254,479.048565,NULL,0,NULL,1197994866,814.383,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-broken/logs/0.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',-29620,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,1,1,'coral2-base-broken-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086460000137,1790086460022620,1790086465032647,1790086479993562,NULL,NULL,1790086977776054,1790086978121529,1790086978157234,497.782492,0.803068,0,NULL,1375333754,846.23,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-broken/logs/1.1.out',NULL,NULL,'50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2',-31141,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,2,1,'coral2-base-broken-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790086460000274,1790086460044865,1790086464646546,1790086479974275,NULL,NULL,1790086955970843,1790086956241859,1790086956281216,475.996568,0.805912,0,NULL,1568678520,809.194,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 70000, "synthetic": false, "test_rows": 1000, "train_rows": 300}','/runs/coral2-base-broken/logs/2.1.out',NULL,NULL,'a7582e625961ef5f3d95c9c8f3dd2db925440472e6ee9ee625fa91191ef7bb20',-31147,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,3,1,'coral2-base-broken-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790086980157234,1790086980165917,1790086984699235,1790087000137234,NULL,NULL,1790087018071043,1790087018589065,1790087018625042,17.933809,0.4102,0,NULL,1213215485,30.487,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-base-broken/logs/3.1.out',NULL,NULL,'e1f2786e72042257da5432989564a04ca39c6f72ea9b80046c7e7dfa5b47ee0a',-29949,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,4,1,'coral2-base-broken-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086980157371,1790086980195114,1790086984584115,1790087000154302,NULL,NULL,1790087018131612,1790087018636987,1790087018673399,17.97731,0.595646,0,NULL,1382566167,30.561,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": true}','/runs/coral2-base-broken/logs/4.1.out',NULL,NULL,'0d3ed6943c8fdf6dc86b778940d17411d42620b9414fa0939cdc877728a046e5',-31145,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,5,1,'coral2-base-broken-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790086980157508,1790086980198252,1790086985496621,1790087000136007,NULL,NULL,1790087018214941,1790087018534090,1790087018573782,18.078934,0.595485,0,NULL,1705098607,30.734,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1005, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900}','/runs/coral2-base-broken/logs/5.1.out',NULL,NULL,'1f7e129c5ef419b9e9dc9722c7fa89051c98ed7297ce40115eeba7125e025678',-29543,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,6,1,'coral2-base-broken-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790087020673399,1790087020704990,1790087026151824,1790087040652260,1790087042652260,1790087051452496,1790087051552496,1790087051795112,1790087051832317,0.08800236,NULL,0,NULL,1907467837,18.53,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1006, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/6.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',-29255,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,7,1,'coral2-base-broken-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790087020673536,1790087020693891,1790087024943462,1790087040644108,1790087042644108,1790087051557534,1790087051657534,1790087052093764,1790087052128848,NULL,NULL,0,NULL,1783495872,18.723,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1007, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/7.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',-30939,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,8,1,'coral2-base-broken-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790087020673673,1790087020698167,1790087025647550,1790087040654193,1790087042654193,1790087051428832,1790087051528832,1790087052021883,1790087052058522,0.08774639,NULL,0,NULL,1360474955,18.487,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1008, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/8.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',-30769,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,9,1,'coral2-base-broken-9.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790087054128848,1790087054153233,1790087059557951,1790087074106997,1790087076106997,1790087123376314,1790087123476314,1790087124035677,1790087124074824,0.47269317,NULL,0,NULL,1090083478,83.928,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-other"}], "host": "nid0000", "pid": 1009, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/9.1.out',NULL,NULL,'eaec49af7413714b6b70ee71f7b2674e88459d97317739f61edeac5f08f63518',-30916,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,10,1,'coral2-base-broken-10.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790087054128985,1790087054138271,1790087058747256,1790087074101895,1790087076101895,1790087122302989,1790087122402989,1790087122925732,1790087122966176,0.46201094,NULL,0,NULL,1585416558,82.112,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1010, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/10.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',-30450,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,11,1,'coral2-base-broken-11.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790087054129122,1790087054157264,1790087058358658,1790087074123221,1790087076123221,1790087122613277,1790087122713277,1790087122922811,1790087122962029,0.46490056,NULL,0,NULL,2088162724,82.603,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3, 4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1011, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/11.1.out',NULL,NULL,'59ee7b7b796381885cd008ce9b05234698cd4c7782842a51b5bfbfdc21c18f04',-30436,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,12,1,'coral2-base-broken-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790087126074824,1790087126114016,1790087131596640,1790087146064561,1790087148064561,1790087172616790,1790087172716790,1790087173015344,1790087173051956,0.24552229,NULL,0,NULL,1778508286,45.309,'8c9b1afdccfe1d307c44f60e0deb79f3e977ab5fd6ca99931d93ce502cabaaff','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1012, "precision": "float32", "process_threads": 12, "tensor_float32": true}','{}','/runs/coral2-base-broken/logs/12.1.out',NULL,NULL,'400834a21f68e03cd6852b1b308b991c0b46dda04225d559bf535ef234f43115',-29316,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,13,1,'coral2-base-broken-13.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790087126074961,1790087126096370,1790087131349529,1790087146055139,1790087148055139,1790087172806961,1790087172906961,1790087173337830,1790087173375888,0.24751822,NULL,0,NULL,1271532362,45.648,'ab1f59d8ec177eaa605aa510512c1af1f4f9986ed625e65eb1a444756d28689b','{"cpuset": [2, 3], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1013, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/13.1.out',NULL,NULL,'87927a7edebf60a2bb80d2a6201a33c7df849d710b09a61383263062c2310bcf',-30750,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,14,1,'coral2-base-broken-14.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790087126075098,1790087126114866,1790087130756752,1790087146051005,1790087148051005,1790087172962083,1790087173062083,1790087173633759,1790087173669046,0.24911078,NULL,0,NULL,1809825699,45.919,'214d3ba7b0bd795ed097f78b0d95aaad9ea8bef4c2dbf6ca64dbc0333c2db220','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1014, "precision": "mixed_float16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/14.1.out',NULL,NULL,'52f954c31c5f22cf7dcee2cd9c828aa4052194fe813d970fb5acd73b50f98ab7',-29298,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,15,1,'coral2-base-broken-15.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790087175669046,1790087175722071,1790087180914016,1790087195641679,1790087197641679,1790087263919499,1790087264019499,1790087264249077,1790087264286917,0.6627782,NULL,0,NULL,1860065357,116.242,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1015, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/15.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',-30755,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,16,1,'coral2-base-broken-16.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790087175669183,1790087175692788,1790087181086166,1790087195660392,NULL,NULL,1790087260505950,1790087260774540,1790087260814528,0.62745558,NULL,0,NULL,1080443631,110.237,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1016, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/16.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',-29832,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,17,1,'coral2-base-broken-17.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790087175669320,1790087175683563,1790087181250698,1790087195645855,1790087197645855,1790087260883033,1790087260983033,1790087261517774,1790087261555135,0.63237178,NULL,0,NULL,1095250131,111.073,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "proven": false, "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1017, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/17.1.out',NULL,NULL,'6e6843ad214f3fb80a708192602a4c6dc8f5787e8591b5f0fb67d3c894050a45',-30528,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,18,1,'coral2-base-broken-18.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790087266286917,1790087266338185,1790087271510590,1790087286271661,1790087288271661,1790087293571507,1790087293671507,1790087294165136,1790087294202856,0.000414050469,NULL,0,NULL,1433877932,12.58,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1018, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/18.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',-30855,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,19,1,'coral2-base-broken-19.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790087266287054,1790087266311003,1790087272255841,1790087286277452,1790087288277452,1790087293374379,1790087293474379,1790087293917886,1790087293956141,0.000398197422,NULL,0,NULL,1082053337,12.235,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1019, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-broken/logs/19.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',-29466,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,20,1,'coral2-base-broken-20.1',1,'failed','benchmark','exit code 3',NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790087266287191,1790087266331664,NULL,NULL,NULL,NULL,NULL,1790087293762831,1790087293802068,NULL,NULL,3,NULL,1521288445,12.319,NULL,NULL,NULL,'/runs/coral2-base-broken/logs/20.1.out',NULL,NULL,'9604036435866402bc3e4070e15b228a1186a76511a0a0e7252f2fe76e483aea',-30318,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,21,1,'coral2-base-broken-21.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1,2,3','GPU-nid0000-0,GPU-nid0000-1',1790087296202856,1790087296225409,1790087301271575,1790087316177194,NULL,NULL,1790088351911391,1790088352280133,1790088352318629,1035.7342,75.8344,0,NULL,1998493993,1760.748,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}, {"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1021, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0000", "pid": 2210}, {"cpuset": [2, 3], "host": "nid0000", "pid": 2211}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base-broken/logs/21.1.out',NULL,NULL,'d75cfc85b310b54618a1fb9a69b4fc2243d8a21883ee8e696e4f3e0a8a4ed523',-29336,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,22,1,'coral2-base-broken-22.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'4,5,6,7','GPU-nid0000-2,GPU-nid0000-3',1790087296202993,1790087296217333,1790087300437204,1790087316175628,NULL,NULL,1790088343871314,1790088344391509,1790088344430901,1027.69569,75.6168,0,NULL,1752693868,1747.083,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1022, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0000", "pid": 2220}, {"cpuset": [6, 7], "host": "nid0000", "pid": 2221}], "tensor_float32": false}','{"layout": "folders", "synthetic": false, "train_images": 1281166, "validation_images": 50000}','/runs/coral2-base-broken/logs/22.1.out',NULL,NULL,'7fa977ae252ad1f87d2daadfba93ba8ed79fbce7626c40ff61ef9b3fdbec8507',-29209,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,23,1,'coral2-base-broken-23.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1,2,3','GPU-nid0001-0,GPU-nid0001-1',1790087296203130,1790087296295385,1790087301742504,1790087316237832,NULL,NULL,1790088374889658,1790088375208187,1790088375190901,1058.65183,0.7531,0,NULL,1992202149,1799.708,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}, {"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1023, "precision": "float32", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0001", "pid": 2230}, {"cpuset": [2, 3], "host": "nid0001", "pid": 2231}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-base-broken/logs/23.1.out',NULL,NULL,'085bf8c5a167ab38937ec4e487f309ad6b04c72e153ccbcf408ecb45635d89d8',23168,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,0,1,'coral2-base-uncertain-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790172860000000,1790172857076667,1790172862856954,1790172877015255,NULL,NULL,1790173496730513,1790173497154447,1790173500162730,619.715258,0.80869,0,NULL,1552711811,1053.516,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-uncertain/logs/0.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',-2999242,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,1,1,'coral2-base-uncertain-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790172860000137,1790172857070309,1790172862695043,1790172877013242,NULL,NULL,1790173501363418,1790173501862019,1790173504866016,624.350176,0.808015,0,NULL,1375765981,1061.395,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-uncertain/logs/1.1.out',NULL,NULL,'50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2',-2998758,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,2,1,'coral2-base-uncertain-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790172860000274,1790172857086940,1790172861359043,1790172877012448,NULL,NULL,1790173484017957,1790173484480940,1790173487488710,607.005509,0.80184,0,NULL,1748021440,1031.909,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-uncertain/logs/2.1.out',NULL,NULL,'88d0740778ad14985660a8fdba5cb8ef4016a3273bb02149547d2af3269ae739',-2999358,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,3,1,'coral2-base-uncertain-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790172860000411,1790172857057955,1790172861359519,1790172877004260,NULL,NULL,1790173478398530,1790173478728540,1790173481734333,601.39427,0.808682,0,NULL,2106031043,1022.37,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-uncertain/logs/3.1.out',NULL,NULL,'b01b19c29efbe2307a22212f22d1ebd5e0fc376620dc8dd9e2619755738e3a86',-2998623,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,4,1,'coral2-base-uncertain-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790172860000548,1790172873303202,1790172878951041,1790172881262255,NULL,NULL,1790173475642735,1790173475859883,1790173486615305,594.38048,0.807276,0,NULL,1866049098,1010.447,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-uncertain/logs/4.1.out',NULL,NULL,'567b908baa3b38eda57250f48eec7135fd989e1a8139d07be80853c569259cdd',13252187,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,5,1,'coral2-base-uncertain-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790173506866016,1790173503932946,1790173509569861,1790173523872657,1790173525872657,1790173604747659,1790173604847659,1790173605380809,1790173608385133,0.78875002,NULL,0,NULL,1264585026,137.658,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1005, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/5.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',-2999317,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,6,1,'coral2-base-uncertain-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790173506866153,1790173503907013,1790173508914107,1790173523887470,1790173525887470,1790173609267488,1790173609367488,1790173609754204,1790173612762227,0.83380018,NULL,0,NULL,1498533190,145.316,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1006, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/6.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',-2998823,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,7,1,'coral2-base-uncertain-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790173506866290,1790173503946436,1790173508161389,1790173523867605,1790173525867605,1790173606027800,1790173606127800,1790173606588946,1790173609595816,0.80160195,NULL,0,NULL,1288997465,139.842,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1007, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/7.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',-2998874,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,8,1,'coral2-base-uncertain-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790173506866427,1790173503943760,1790173509539541,1790173523888716,1790173525888716,1790173608204945,1790173608304945,1790173608629863,1790173611636053,0.82316229,NULL,0,NULL,1448063687,143.508,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1008, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/8.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',-2998660,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,9,1,'coral2-base-uncertain-9.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790173506866564,1790173520193924,1790173524860066,1790173528138822,1790173530138822,1790173610155297,1790173610255297,1790173610717804,1790173621471305,0.80016475,NULL,0,NULL,2063510926,139.598,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1009, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/9.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',13252117,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,10,1,'coral2-base-uncertain-10.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790173623471305,1790173620557153,1790173625132635,1790173640486624,1790173642486624,1790173649570483,1790173649670483,1790173650086787,1790173653091972,0.000553426484,NULL,0,NULL,1149834091,15.613,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1010, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/10.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',-2997518,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,11,1,'coral2-base-uncertain-11.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790173623471442,1790173620549304,1790173625809846,1790173640497919,1790173642497919,1790173649326724,1790173649426724,1790173649995638,1790173653003973,0.000533500391,NULL,0,NULL,1788725167,15.179,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1011, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/11.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',-2998405,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,12,1,'coral2-base-uncertain-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790173623471579,1790173620541726,1790173625876455,1790173640482998,1790173642482998,1790173649223209,1790173649323209,1790173649523521,1790173652526765,0.000526578984,NULL,0,NULL,1613297103,15.028,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1012, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/12.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',-2998742,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,13,1,'coral2-base-uncertain-13.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790173623471716,1790173620543421,1790173625985842,1790173640482474,1790173642482474,1790173649383010,1790173649483010,1790173649986888,1790173652992075,0.000539104375,NULL,0,NULL,2013313737,15.301,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1013, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/13.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',-2999214,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,14,1,'coral2-base-uncertain-14.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790173623471853,1790173636806599,1790173642576020,1790173644723486,1790173646723486,1790173653659385,1790173653759385,1790173653999764,1790173664753723,0.000541867109,NULL,0,NULL,1659740489,15.361,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1014, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-uncertain/logs/14.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',13252115,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,0,1,'coral2-base-clock-set-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790259260000000,1790259260062881,1790259264182798,1790259280023137,NULL,NULL,1790259878441183,1790259878998146,1790259878986889,598.418046,0.808145,0,NULL,1118345298,1017.311,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-clock-set/logs/0.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',20583,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,1,1,'coral2-base-clock-set-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790259260000137,1790259260064180,1790259265387747,1790259280046572,NULL,NULL,1790259900317142,1790259900863489,1790259900852241,620.27057,0.805983,0,NULL,1719185013,1054.46,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-clock-set/logs/1.1.out',NULL,NULL,'50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2',19509,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,2,1,'coral2-base-clock-set-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790259260000274,1790259260070718,1790259264961162,1790259280026608,NULL,NULL,1790259875676004,1790259876152342,1790259876137849,595.649396,0.803015,0,NULL,1123899188,1012.604,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-clock-set/logs/2.1.out',NULL,NULL,'88d0740778ad14985660a8fdba5cb8ef4016a3273bb02149547d2af3269ae739',19884,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,3,1,'coral2-base-clock-set-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790259260000411,1790259260081552,1790259264436708,1790259280030181,NULL,NULL,1790259884081950,1790259884577939,1790259884565995,604.051769,0.804037,0,NULL,1538028570,1026.888,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-clock-set/logs/3.1.out',NULL,NULL,'b01b19c29efbe2307a22212f22d1ebd5e0fc376620dc8dd9e2619755738e3a86',19950,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,4,1,'coral2-base-clock-set-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790259260000548,1790259260069115,1790259265603638,1790259280006371,NULL,NULL,1790259890994448,1790259891383420,1790259891402630,610.988077,0.805381,0,NULL,1208922322,1038.68,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-clock-set/logs/4.1.out',NULL,NULL,'567b908baa3b38eda57250f48eec7135fd989e1a8139d07be80853c569259cdd',-14568,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,5,1,'coral2-base-clock-set-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790259902852241,1790259902927183,1790259907239855,1790259922897496,1790259924897496,1790260003840702,1790260003940702,1790260004395271,1790260004381542,0.78943206,NULL,0,NULL,1839169780,137.773,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1005, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/5.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',19513,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,6,1,'coral2-base-clock-set-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790259902852378,1790259902946851,1790259908105080,1790259922898843,1790259924898843,1790260006190817,1790260006290817,1790260006506366,1790260006491543,0.81291974,NULL,0,NULL,1260997585,141.766,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1006, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/6.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',19833,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,7,1,'coral2-base-clock-set-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790259902852515,1790259902928350,1790259908846867,1790259922894902,1790259924894902,1790260006960042,1790260007060042,1790260007348525,1790260007337076,0.8206514,NULL,0,NULL,1547838251,143.081,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1007, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/7.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',20225,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,8,1,'coral2-base-clock-set-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790259902852652,1790259902930100,1790259907223310,1790259922892642,1790259924892642,1790260007863384,1790260007963384,1790260008506084,1790260008491605,0.82970742,NULL,0,NULL,2025642942,144.62,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1008, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/8.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',21014,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,9,1,'coral2-base-clock-set-9.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790259902852789,1790259906921699,1790259912292202,1790259926854296,1790259928854296,1790260011776786,1790260011876786,1790260012254924,1790260008274077,0.8292249,NULL,0,NULL,1598691669,144.538,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1009, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/9.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',3986407,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,10,1,'coral2-base-clock-set-10.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790260041491605,1790260041576262,1790260047184651,1790260061539476,1790260063539476,1790260070493115,1790260070593115,1790260070872548,1790260070860119,0.000543253047,NULL,0,NULL,1976580432,15.391,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1010, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/10.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',19931,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,11,1,'coral2-base-clock-set-11.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790260041491742,1790260041594460,1790260046451581,1790260061534135,1790260063534135,1790260070425554,1790260070525554,1790260070932657,1790260070922831,0.000538392109,NULL,0,NULL,1521150330,15.285,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1011, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/11.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',21023,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,12,1,'coral2-base-clock-set-12.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790260041491879,1790260041551440,1790260046440596,1790260061529041,1790260063529041,1790260070576591,1790260070676591,1790260071170225,1790260071159632,0.000550589844,NULL,0,NULL,1727027032,15.551,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1012, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/12.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',21178,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,13,1,'coral2-base-clock-set-13.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790260041492016,1790260041551263,1790260046368153,1790260061538599,1790260063538599,1790260070615721,1790260070715721,1790260071148594,1790260071138880,0.000552900156,NULL,0,NULL,1916180458,15.601,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1013, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/13.1.out',NULL,NULL,'52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8',20037,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(4,14,1,'coral2-base-clock-set-14.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1','GPU-nid0001-0',1790260041492153,1790260045530215,1790260050798928,1790260065481013,1790260067481013,1790260074340804,1790260074440804,1790260074899334,1790260070920236,0.000535921172,NULL,0,NULL,1368677991,15.232,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "host": "nid0001", "pid": 1014, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-clock-set/logs/14.1.out',NULL,NULL,'2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79',3985762,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(5,0,1,'coral2-base-adopted-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790432060000000,1790432060057902,1790432065711968,1790432079977197,NULL,NULL,1790432705532885,1790432706080989,1790432703115610,625.555688,0.806723,0,NULL,1087495787,1063.445,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-adopted/logs/0.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',-23720,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(5,1,1,'coral2-base-adopted-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790432060000137,1790432060050940,1790432064142100,1790432080001831,NULL,NULL,1790432676576328,1790432677085945,1790432703115610,596.574497,0.803571,0,NULL,1726434253,1014.177,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-adopted/logs/1.1.out',NULL,NULL,'50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2',-24476,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(5,2,1,'coral2-base-adopted-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790432060000274,1790432060049714,1790432064265111,1790432079984628,NULL,NULL,1790432702001259,1790432702473732,1790432703115610,622.016631,0.804529,0,NULL,1396188789,1057.428,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-adopted/logs/2.1.out',NULL,NULL,'88d0740778ad14985660a8fdba5cb8ef4016a3273bb02149547d2af3269ae739',-23443,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(5,3,1,'coral2-base-adopted-3.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790432704115610,1790432709150340,1790432714790485,1790432729110288,1790432731110288,1790432738139932,1790432738239932,1790432738811590,1790432733845293,0.000549190938,NULL,0,NULL,1854786856,15.52,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-adopted/logs/3.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',4975632,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(5,4,1,'coral2-base-adopted-4.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790432704115747,1790432709142992,1790432713446547,1790432729118208,1790432731118208,1790432737839462,1790432737939462,1790432738533568,1790432733565238,0.000525097969,NULL,0,NULL,1990070264,14.996,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-adopted/logs/4.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',4975530,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(6,0,1,'coral2-base-two-clocks-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790518460000000,1790518460094446,1790518465585738,1790518480045673,NULL,NULL,1790519076281348,1790519076720830,1790519076700108,596.235675,0.804113,0,NULL,1853048314,1013.601,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-two-clocks/logs/0.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',26325,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(6,1,1,'coral2-base-two-clocks-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790518460000137,1790518460103177,1790518465887749,1790518480029062,NULL,NULL,1790519072860021,1790519073066725,1790519073044593,592.830959,0.809377,0,NULL,1238863262,1007.813,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-two-clocks/logs/1.1.out',NULL,NULL,'50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2',27910,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(6,2,1,'coral2-base-two-clocks-2.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790519059700108,1790519059796851,1790519064678977,1790519079731003,1790519081731003,1790519088617394,1790519088717394,1790519089175802,1790519089158580,0.000537999297,NULL,0,NULL,1273173665,15.277,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-two-clocks/logs/2.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',27288,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(6,3,1,'coral2-base-two-clocks-3.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790519059700245,1790519059798394,1790519065735373,1790519079728599,1790519081728599,1790519088854123,1790519088954123,1790519089425365,1790519089407592,0.000556681562,NULL,0,NULL,1793423315,15.683,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-base-two-clocks/logs/3.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',27352,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(7,0,1,'coral2-base-p1b1-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790345660000000,1790345660054758,1790345665200652,1790345680031459,NULL,NULL,1790346285995079,1790346286330372,1790346286331857,605.96362,0.809471,0,NULL,1689922504,1030.138,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-p1b1/logs/0.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',6758,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(7,1,1,'coral2-base-p1b1-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790345660000137,1790345660069424,1790345665424707,1790345680027120,NULL,NULL,1790346285761874,1790346286068760,1790346286068955,605.734754,0.806702,0,NULL,1455622948,1029.749,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-p1b1/logs/1.1.out',NULL,NULL,'50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2',6878,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(7,2,1,'coral2-base-p1b1-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790345660000274,1790345660082203,1790345664645355,1790345680030886,NULL,NULL,1790346308836614,1790346309404316,1790346309403244,628.805728,0.802663,0,NULL,1850293459,1068.97,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-p1b1/logs/2.1.out',NULL,NULL,'88d0740778ad14985660a8fdba5cb8ef4016a3273bb02149547d2af3269ae739',6412,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(7,3,1,'coral2-base-p1b1-3.1',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790346342403244,1790346342486209,1790346348451574,1790346362414577,NULL,NULL,1790346986280100,1790346986648698,1790346986647266,623.865523,0.803473,0,NULL,1287525100,1060.571,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1003, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-p1b1/logs/3.1.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',6549,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(7,4,1,'coral2-base-p1b1-4.1',2,'failed','benchmark','loss is not a number','made to fail','c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790346342403381,1790346342480663,NULL,NULL,NULL,NULL,NULL,1790346988193165,1790346988196108,NULL,NULL,1,NULL,1635166645,1063.013,NULL,NULL,NULL,'/runs/coral2-base-p1b1/logs/4.1.out',NULL,'Traceback …
','e16dfb89dfef22d94b517e4bc05425c5250ac5998a4039847d050b7a95622e3d',6439,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(7,4,2,'coral2-base-p1b1-4.2',2,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790346990196108,1790346990262752,1790346994609814,1790347010227711,NULL,NULL,1790347618374436,1790347618731195,1790347618729384,608.146725,0.803195,0,NULL,1488236989,1033.849,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1004, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-base-p1b1/logs/4.2.out',NULL,NULL,'832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f',7003,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE benchmarks (
	campaign_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	workload TEXT NOT NULL, 
	instances INTEGER NOT NULL, 
	parameters TEXT NOT NULL, 
	slot TEXT NOT NULL, 
	timeout_seconds FLOAT, 
	quality_metric TEXT, 
	quality_target FLOAT, 
	CONSTRAINT pk_benchmarks PRIMARY KEY (campaign_id, benchmark), 
	CONSTRAINT fk_benchmarks_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "benchmarks" VALUES(1,'alexnet','alexnet',6,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 227, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'googlenet','googlenet',6,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'lstm','lstm',6,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'overfeat','overfeat',6,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 231, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'p1b1','p1b1',6,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 2000, "precision": "float32", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(1,'p3b1','p3b1',6,'{"batch_size": 10, "epochs": 10, "first_width": 1200, "framework": "tensorflow", "learning_rate": 0.01, "loader": "numpy", "max_epochs": 0, "precision": "float32", "second_width": 1200, "shared_width": 1200, "time_limit": 1800.0}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,'geometric_mean_f1',0.5637);
INSERT INTO "benchmarks" VALUES(1,'resnet50','resnet50',50,'{"batch_size": 32, "classes": 1000, "depth_divisor": 1, "epochs": 90, "first_drop": 30, "image_size": 224, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "float32", "resume": false, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 5, "weight_decay": 5e-05, "width_divisor": 1}','{"nodes": 1, "ranks": 2, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 2, "share_of_system": 0.0002787068004459309}',43200.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(1,'vgg','vgg',6,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'alexnet','alexnet',3,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 227, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'googlenet','googlenet',3,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'lstm','lstm',3,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'overfeat','overfeat',3,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 231, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'p1b1','p1b1',3,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 2000, "precision": "float32", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(2,'p3b1','p3b1',3,'{"batch_size": 10, "epochs": 10, "first_width": 1200, "framework": "tensorflow", "learning_rate": 0.01, "loader": "numpy", "max_epochs": 0, "precision": "float32", "second_width": 1200, "shared_width": 1200, "time_limit": 1800.0}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,'geometric_mean_f1',0.5637);
INSERT INTO "benchmarks" VALUES(2,'resnet50','resnet50',3,'{"batch_size": 32, "classes": 1000, "depth_divisor": 1, "epochs": 90, "first_drop": 30, "image_size": 224, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "float32", "resume": false, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 5, "weight_decay": 5e-05, "width_divisor": 1}','{"nodes": 1, "ranks": 2, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 2, "share_of_system": 0.0002787068004459309}',43200.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(2,'vgg','vgg',3,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(3,'lstm','lstm',5,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(3,'p1b1','p1b1',5,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 2000, "precision": "float32", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(3,'vgg','vgg',5,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(4,'lstm','lstm',5,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(4,'p1b1','p1b1',5,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 2000, "precision": "float32", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(4,'vgg','vgg',5,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(5,'lstm','lstm',2,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(5,'p1b1','p1b1',3,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 2000, "precision": "float32", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(6,'lstm','lstm',2,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "float32", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(6,'p1b1','p1b1',2,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 2000, "precision": "float32", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(7,'p1b1','p1b1',5,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "numpy", "max_epochs": 0, "outer_width": 2000, "precision": "float32", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
CREATE TABLE blocks (
	campaign_id INTEGER NOT NULL, 
	session_number INTEGER NOT NULL, 
	slot_shape TEXT NOT NULL, 
	block_id TEXT NOT NULL, 
	job_id TEXT, 
	state TEXT NOT NULL, 
	requested_us BIGINT NOT NULL, 
	started_us BIGINT, 
	ended_us BIGINT, 
	nodes INTEGER NOT NULL, 
	message TEXT, 
	pool TEXT, 
	CONSTRAINT pk_blocks PRIMARY KEY (campaign_id, session_number, slot_shape, block_id), 
	CONSTRAINT fk_blocks_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "blocks" VALUES(1,1,'c1','0','987651','released',1790000059000000,1790000060000000,1790007260000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(1,2,'c1','0','987652','released',1790005102380905,1790005103380905,1790012303380905,25,NULL,NULL);
INSERT INTO "blocks" VALUES(2,1,'c1','0','987651','released',1790086459000000,1790086460000000,1790093660000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(3,1,'c1','0','987651','released',1790172859000000,1790172860000000,1790180060000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(4,1,'c1','0','987651','released',1790259259000000,1790259260000000,1790266460000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(4,2,'c1','0','987652','released',1790260040491605,1790260041491605,1790267241491605,25,NULL,NULL);
INSERT INTO "blocks" VALUES(5,1,'c1','0','987651','released',1790432059000000,1790432060000000,1790439260000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(5,2,'c1','0','987652','released',1790432701615610,1790432702615610,1790439902615610,25,NULL,NULL);
INSERT INTO "blocks" VALUES(6,1,'c1','0','987651','released',1790518459000000,1790518460000000,1790525660000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(6,2,'c1','0','987652','released',1790519058700108,1790519059700108,1790526259700108,25,NULL,NULL);
INSERT INTO "blocks" VALUES(7,1,'c1','0','987651','released',1790345659000000,1790345660000000,1790352860000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(7,2,'c1','0','987652','released',1790346341403244,1790346342403244,1790353542403244,25,NULL,NULL);
CREATE TABLE campaigns (
	campaign_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	uid TEXT NOT NULL, 
	campaign_yaml TEXT NOT NULL, 
	campaign_sha256 TEXT NOT NULL, 
	site_name TEXT NOT NULL, 
	site_yaml TEXT NOT NULL, 
	site_sha256 TEXT NOT NULL, 
	rulebook TEXT NOT NULL, 
	run_class TEXT NOT NULL, 
	run_directory TEXT NOT NULL, 
	data_path TEXT NOT NULL, 
	created_us BIGINT NOT NULL, 
	outcome TEXT, 
	stop_request TEXT, 
	lease_owner TEXT, 
	lease_expires_us BIGINT, 
	CONSTRAINT pk_campaigns PRIMARY KEY (campaign_id), 
	CONSTRAINT uq_campaigns_name UNIQUE (name), 
	CONSTRAINT uq_campaigns_uid UNIQUE (uid)
);
INSERT INTO "campaigns" VALUES(1,'coral2-base','5fc4194c1cca99e40b47acce0c019488','campaign: coral2-base
description: All eight benchmarks at real size, float32 TensorFlow
rulebook: coral2
class: base
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 6
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: p3b1
  instances: 6
  data: p3b1
  timeout: 1 h
  expected_runtime: 1 min
- workload: alexnet
  instances: 6
  timeout: 1 h
  expected_runtime: 1 min
- workload: googlenet
  instances: 6
  timeout: 1 h
  expected_runtime: 3 min
- workload: overfeat
  instances: 6
  timeout: 1 h
  expected_runtime: 2 min
- workload: vgg
  instances: 6
  timeout: 1 h
  expected_runtime: 4 min
- workload: lstm
  instances: 6
  timeout: 1 h
  expected_runtime: 1 min
- workload: resnet50
  instances: 50
  parameters:
    resume: false
  data: imagenet
  timeout: 12 h
  expected_runtime: 25 min
','0d5a735bc7ef82b834a65c6cbfb7fe7e4cfae1963e0bce70da41782a9affb9ec','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','base','/runs/coral2-base','/data',1789999999000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(2,'coral2-base-broken','2a66b4656e054fe570a2e1349634fc94','campaign: coral2-base-broken
description: All eight benchmarks at real size, float32 TensorFlow
rulebook: coral2
class: base
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 3
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: p3b1
  instances: 3
  data: p3b1
  timeout: 1 h
  expected_runtime: 1 min
- workload: alexnet
  instances: 3
  timeout: 1 h
  expected_runtime: 1 min
- workload: googlenet
  instances: 3
  timeout: 1 h
  expected_runtime: 3 min
- workload: overfeat
  instances: 3
  timeout: 1 h
  expected_runtime: 2 min
- workload: vgg
  instances: 3
  timeout: 1 h
  expected_runtime: 4 min
- workload: lstm
  instances: 3
  timeout: 1 h
  expected_runtime: 1 min
- workload: resnet50
  instances: 3
  parameters:
    resume: false
  data: imagenet
  timeout: 12 h
  expected_runtime: 25 min
','92940f096273cd32c45fcff019231eb723b07d0ca632c02e43a6548f9876b34c','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','base','/runs/coral2-base-broken','/data',1790086399000000,'exhausted',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(3,'coral2-base-uncertain','29679d051b64808cdc6174cc11f4e8d0','campaign: coral2-base-uncertain
description: All eight benchmarks at real size, float32 TensorFlow
rulebook: coral2
class: base
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 5
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: vgg
  instances: 5
  timeout: 1 h
  expected_runtime: 4 min
- workload: lstm
  instances: 5
  timeout: 1 h
  expected_runtime: 1 min
','a95b845e87a0a0c2bfcf0b125a11815f94352680c8f89cdfdc2002af5311009b','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','base','/runs/coral2-base-uncertain','/data',1790172799000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(4,'coral2-base-clock-set','8ee7a9605bfe08461581127810b85508','campaign: coral2-base-clock-set
description: All eight benchmarks at real size, float32 TensorFlow
rulebook: coral2
class: base
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 5
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: vgg
  instances: 5
  timeout: 1 h
  expected_runtime: 4 min
- workload: lstm
  instances: 5
  timeout: 1 h
  expected_runtime: 1 min
','c79086bf6afdc8df354c98f7aeaac15eb5504878ebbc49ed5da3ea1d5ab552b2','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','base','/runs/coral2-base-clock-set','/data',1790259199000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(5,'coral2-base-adopted','cce5cafbfc0bdebfe1f20876d9f6cf61','campaign: coral2-base-adopted
description: All eight benchmarks at real size, float32 TensorFlow
rulebook: coral2
class: base
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 3
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: lstm
  instances: 2
  timeout: 1 h
  expected_runtime: 1 min
','878419a41ea75d2305e4f3811365c2205603af243440eea416b8dbd0f632d6e3','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','base','/runs/coral2-base-adopted','/data',1790431999000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(6,'coral2-base-two-clocks','a997eea523fd87585df244a198e5ac4f','campaign: coral2-base-two-clocks
description: All eight benchmarks at real size, float32 TensorFlow
rulebook: coral2
class: base
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 2
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: lstm
  instances: 2
  timeout: 1 h
  expected_runtime: 1 min
','7773ec8f1b37b4c37c28c69e0a67866f1ccbf39822712bdbb61f3820b7e2c288','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','base','/runs/coral2-base-two-clocks','/data',1790518399000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(7,'coral2-base-p1b1','dc5414e15e18b8968b088cce88bab781','campaign: coral2-base-p1b1
description: All eight benchmarks at real size, float32 TensorFlow
rulebook: coral2
class: base
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 5
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
','9518d4dbf92ddbd62ced5cb4810e905c4720a393c1b9ada921ea1d3dca3c68a3','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','base','/runs/coral2-base-p1b1','/data',1790345599000000,'complete',NULL,NULL,NULL);
CREATE TABLE curves (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	axis TEXT NOT NULL, 
	points TEXT NOT NULL, 
	CONSTRAINT pk_curves PRIMARY KEY (campaign_id, instance_id, attempt_number, name), 
	CONSTRAINT fk_curves_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
CREATE TABLE documents (
	sha256 TEXT NOT NULL, 
	content TEXT NOT NULL, 
	CONSTRAINT pk_documents PRIMARY KEY (sha256)
)
 WITHOUT ROWID

;
INSERT INTO "documents" VALUES('01e43e40c1d51ca5d99c6d5d88426659acc863deba10d9b809587242639107b3','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0015-2,GPU-nid0015-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-2"}, {"name": "A100", "uuid": "GPU-nid0015-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('0335cb2dc9e1aba4686c9c9bb34083c15dbb98cee821f0be7c3106bae868e242','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0004-2,GPU-nid0004-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-2"}, {"name": "A100", "uuid": "GPU-nid0004-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('0531df8698c3eb5d5edb2b746b483d4901d6ebe2e77c5b3ca88a29d9478ef2ae','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0011-0,GPU-nid0011-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-0"}, {"name": "A100", "uuid": "GPU-nid0011-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('085bf8c5a167ab38937ec4e487f309ad6b04c72e153ccbcf408ecb45635d89d8','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0001-0,GPU-nid0001-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}, {"name": "A100", "uuid": "GPU-nid0001-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('0a6cc8197a01f5357247b960898f0da4501a2f24dc6adc0c7a765921ca61b3e0','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0024-2,GPU-nid0024-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-2"}, {"name": "A100", "uuid": "GPU-nid0024-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('0d3ed6943c8fdf6dc86b778940d17411d42620b9414fa0939cdc877728a046e5','{"cores": "2,3", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": true}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('13f089c308de221eb9ef83815db8902709c6ee718a0e18ea663f406c8dc75d26','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0011-2,GPU-nid0011-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-2"}, {"name": "A100", "uuid": "GPU-nid0011-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('15b09a1c76c5baa9a6fae7e2e2c0bc2a0b89bc88793bec153c80c834ee6f2e74','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0002-2,GPU-nid0002-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-2"}, {"name": "A100", "uuid": "GPU-nid0002-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('172714596d2d0d4114b12a2e81766d4a93e59273ab1a79904c4d9e2e09f080fc','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0021-0,GPU-nid0021-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-0"}, {"name": "A100", "uuid": "GPU-nid0021-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1832b33d9ec640409fc9485499e529a6b32eadb4007b3ad664f545d1fe78138f','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0020-2,GPU-nid0020-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-2"}, {"name": "A100", "uuid": "GPU-nid0020-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('18821b59bc915de2233ae80745cabdca3362c523005dc664b6801230b94fc370','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0007-2,GPU-nid0007-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-2"}, {"name": "A100", "uuid": "GPU-nid0007-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1a2c6305d4e60890f4932f2d6f1ab386b36bdc8781016fda394d5434a52c3188','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0014-0,GPU-nid0014-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-0"}, {"name": "A100", "uuid": "GPU-nid0014-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1cbb5a9dd65ce4b870e102cc82df1d79085afa9f7db0930cd58af0f952e0b514','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0015-0,GPU-nid0015-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-0"}, {"name": "A100", "uuid": "GPU-nid0015-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1f224ae97c60f4d7db4c58ad70421a4f159c6ddcc82c19640a0f50fff083037d','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0023-0,GPU-nid0023-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-0"}, {"name": "A100", "uuid": "GPU-nid0023-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1f7e129c5ef419b9e9dc9722c7fa89051c98ed7297ce40115eeba7125e025678','{"cores": "4,5", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('214d3ba7b0bd795ed097f78b0d95aaad9ea8bef4c2dbf6ca64dbc0333c2db220','{"framework": "tensorflow", "framework_version": "2.18.1", "platform": "Linux", "precision": "mixed_float16", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('21df93570772bac756a72df4c79dddf62574f57d1bec7f5ebe18082c714878cb','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0010-0,GPU-nid0010-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-0"}, {"name": "A100", "uuid": "GPU-nid0010-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('22d01e6df16095f33cecee0b8b3385fb2bfaba85902791a8d447ed0bd8a711b2','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0024-0,GPU-nid0024-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-0"}, {"name": "A100", "uuid": "GPU-nid0024-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('2b387085d1849a3828179eb3c5a486bf7f41f994cf5bab960809fbde7e93ad79','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0001-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('2fe3238a57f3202c3996a9e61deadf5d93a0da61855cf04d5224057337434f88','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0021-2,GPU-nid0021-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-2"}, {"name": "A100", "uuid": "GPU-nid0021-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('3ff0f0f911487c7d0b4f6c8bffffa1ec5543c133ef5cd86434cfaaa112e31132','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0004-0,GPU-nid0004-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-0"}, {"name": "A100", "uuid": "GPU-nid0004-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('400834a21f68e03cd6852b1b308b991c0b46dda04225d559bf535ef234f43115','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "float32", "tensor_float32": true}}');
INSERT INTO "documents" VALUES('40fd6b46ed3deb3751e7b3d426d899f6470dd38888db446b46a4b59f2c44feeb','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0013-0,GPU-nid0013-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-0"}, {"name": "A100", "uuid": "GPU-nid0013-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('412803c6fedfc148bd198af0241ff93de2bf1d9967d03d0f8702e8e4b5782eac','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0009-2,GPU-nid0009-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-2"}, {"name": "A100", "uuid": "GPU-nid0009-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('42947718f3e46259b4bc237523bc78b8e68ba6be6c5ca7e12cf0074cf146d300','{"cores": "2,3", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0001-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('475ca4a83f0fbb8e1c9a54bd400d7f70a9c050695af04518efc763f9b9365fb0','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0012-2,GPU-nid0012-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-2"}, {"name": "A100", "uuid": "GPU-nid0012-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('501a3ddf350da88d250131d0893f12ec42f9c771f6e13440d07067cdb5df9c67','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0018-2,GPU-nid0018-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-2"}, {"name": "A100", "uuid": "GPU-nid0018-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('50a72242eb9a607bb6937ad4df79c0b6f6bc63fd706b55bd3ac537512f9297c2','{"cores": "2,3", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('50a91599fe501bd73d0c6e80cb2786572b33aecdc3dab47f6f6801e5e19b09ff','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0008-2,GPU-nid0008-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-2"}, {"name": "A100", "uuid": "GPU-nid0008-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('52a298b1a177b7a529a33e8c2ffed50a7aeef258c83a6f56aaf9611063e6e8b8','{"cores": "6,7", "data": "{}", "devices": "GPU-nid0000-3", "seen": {"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('52f954c31c5f22cf7dcee2cd9c828aa4052194fe813d970fb5acd73b50f98ab7','{"cores": "4,5", "data": "{}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "mixed_float16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('555abd9f44cee5f499051fcccf4c72ec33b719185552ba96e6c57fdca2968728','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0022-0,GPU-nid0022-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-0"}, {"name": "A100", "uuid": "GPU-nid0022-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('567b908baa3b38eda57250f48eec7135fd989e1a8139d07be80853c569259cdd','{"cores": "0,1", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0001-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('59ee7b7b796381885cd008ce9b05234698cd4c7782842a51b5bfbfdc21c18f04','{"cores": "4,5", "data": "{}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [0, 1, 2, 3, 4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('5e073b6bed0f5cca6b6cb4c156771c78fa6d05fc21f876350e95bab9d17b07a5','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0000-2,GPU-nid0000-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('62bf9459279d610d1a95141cc26cb36b04d85c049b68d556a4bd0d1c39a0e770','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0003-0,GPU-nid0003-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-0"}, {"name": "A100", "uuid": "GPU-nid0003-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('63598a9adc716ee89f44d7ef4f4cfb09f51a206c52072c64feb6315abd2a34fd','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0022-2,GPU-nid0022-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-2"}, {"name": "A100", "uuid": "GPU-nid0022-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('6c0d14f1b3aa0e07ae752f86fe2bd7604ed7fa8156fc611c2b4955debc7c2a8b','{"cores": "2,3", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('6c47445b9a470aa82fc52eace8d3784be9a58471a0fa1452ea54674baa188c2e','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0019-2,GPU-nid0019-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-2"}, {"name": "A100", "uuid": "GPU-nid0019-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('6cddc4776c16c72236f5f05f927354dc8b3e8c93c88adf26edbe5effb99aa491','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0010-2,GPU-nid0010-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-2"}, {"name": "A100", "uuid": "GPU-nid0010-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('6e6843ad214f3fb80a708192602a4c6dc8f5787e8591b5f0fb67d3c894050a45','{"cores": "4,5", "data": "{}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "proven": false, "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292','{"cores": "2,3", "data": "{}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('76969ca2b6f92f6f24b9729b212a11893ce7bf22ea430fa05b57554cf5b03b7e','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0016-0,GPU-nid0016-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-0"}, {"name": "A100", "uuid": "GPU-nid0016-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('7ce30f3db7e2ac6c5b4071fe96f755a15f0ab885d062418cd7de9a96b4f4bc97','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0014-2,GPU-nid0014-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-2"}, {"name": "A100", "uuid": "GPU-nid0014-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('7db8d24b8818ffa2868a0a06c6439b8f68873ea0d92699c5eeee747afa2bcb63','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0006-0,GPU-nid0006-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-0"}, {"name": "A100", "uuid": "GPU-nid0006-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('7fa977ae252ad1f87d2daadfba93ba8ed79fbce7626c40ff61ef9b3fdbec8507','{"cores": "4,5,6,7", "data": "{\"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281166, \"validation_images\": 50000}", "devices": "GPU-nid0000-2,GPU-nid0000-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('7fde72de944d12d6b31bee836930690919dccbdda2c3782d025ad7550da79509','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0013-2,GPU-nid0013-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-2"}, {"name": "A100", "uuid": "GPU-nid0013-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('832134afc501a80a74b2cfafe76209ca9aabed3e97daee17a8a6e0e4a015d40f','{"cores": "0,1", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('87927a7edebf60a2bb80d2a6201a33c7df849d710b09a61383263062c2310bcf','{"cores": "2,3", "data": "{}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('88d0740778ad14985660a8fdba5cb8ef4016a3273bb02149547d2af3269ae739','{"cores": "4,5", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('8c9b1afdccfe1d307c44f60e0deb79f3e977ab5fd6ca99931d93ce502cabaaff','{"framework": "tensorflow", "framework_version": "2.18.1", "platform": "Linux", "precision": "float32", "python": "3.11.9", "tensor_float32": true}');
INSERT INTO "documents" VALUES('8d25afec994556a626d1cb187d4fa2bff2b67ab97f5d234087478384571f31d6','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0003-2,GPU-nid0003-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-2"}, {"name": "A100", "uuid": "GPU-nid0003-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('919e8f461880fafe6943eaad49270351fa0409da01af134352ade3f821032c80','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0006-2,GPU-nid0006-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-2"}, {"name": "A100", "uuid": "GPU-nid0006-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('958210db48c16d94c68501b7d914d72ce48e21c0558a13cd47e62ee74186fb2a','{"cores": "0,1", "data": null, "devices": "GPU-nid0001-0", "seen": null}');
INSERT INTO "documents" VALUES('9604036435866402bc3e4070e15b228a1186a76511a0a0e7252f2fe76e483aea','{"cores": "4,5", "data": null, "devices": "GPU-nid0000-2", "seen": null}');
INSERT INTO "documents" VALUES('966ddd7987b927e3a92362c76b5ec9f87707fcab35e62486f290f14ce21f1e2d','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0017-2,GPU-nid0017-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-2"}, {"name": "A100", "uuid": "GPU-nid0017-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('9826a9a914f37ace9a96995b3ed1ef1bc0796ca303a563d94996055b78b52c2d','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0017-0,GPU-nid0017-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-0"}, {"name": "A100", "uuid": "GPU-nid0017-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('a136c8d085381a39ac7620ec41c89985c555cb56ef27294cd33ef03fc83bba7c','{"cores": "2,3", "data": "{}", "devices": "GPU-nid0001-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('a7183e8d0fa21a55150a3e2b1813d960c4df9c7c7ffc3ea2ee6d0ad46aa738ce','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0009-0,GPU-nid0009-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-0"}, {"name": "A100", "uuid": "GPU-nid0009-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('a7582e625961ef5f3d95c9c8f3dd2db925440472e6ee9ee625fa91191ef7bb20','{"cores": "4,5", "data": "{\"cancer_types\": 33, \"features\": 70000, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 300}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('a7c3db6849c809a45f97b6d6ab0a8250b53ceef585323037716985b7991f6482','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0012-0,GPU-nid0012-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-0"}, {"name": "A100", "uuid": "GPU-nid0012-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('ab1f59d8ec177eaa605aa510512c1af1f4f9986ed625e65eb1a444756d28689b','{"framework": "jax", "framework_version": "0.4.30", "platform": "Linux", "precision": "float32", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('b01b19c29efbe2307a22212f22d1ebd5e0fc376620dc8dd9e2619755738e3a86','{"cores": "6,7", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-3", "seen": {"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('b0802f12e519c4f623dbbc410964c230c517e0d06547aea571cc822f5befc6e5','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0008-0,GPU-nid0008-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-0"}, {"name": "A100", "uuid": "GPU-nid0008-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('b084f86e8a5fd0d1b633ee86e13aa0391a350c5d9f00b198a5a8b9853298421d','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0019-0,GPU-nid0019-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-0"}, {"name": "A100", "uuid": "GPU-nid0019-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('b39a2cd854a87093ed7c58f9b715ffd99c0533c864e3c9cf37d7e2107a8039d2','{"cores": "4,5", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c00737b3c5e5f65c49f0337242f521910e702edbaf1aacddc48384c68df33ea0','{"cores": "0,1", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0002-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-0"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba','{"cores": "4,5", "data": "{}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c2c047c3f73d7e76faebbb19fcf19eb028ce371d4f1c2cd26e7711d87c9c6619','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0005-2,GPU-nid0005-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-2"}, {"name": "A100", "uuid": "GPU-nid0005-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('cf97365deb37b41e0933af8607c3c97ebe797e670eeeb774bd5a6b21778fd966','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0001-2,GPU-nid0001-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-2"}, {"name": "A100", "uuid": "GPU-nid0001-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"framework": "tensorflow", "framework_version": "2.18.1", "platform": "Linux", "precision": "float32", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('d75cfc85b310b54618a1fb9a69b4fc2243d8a21883ee8e696e4f3e0a8a4ed523','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0000-0,GPU-nid0000-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}, {"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e0697a9a9a9b8735393e10f0e2d8384140f9f60a78bae62d60d82bb5a7b60b0f','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0018-0,GPU-nid0018-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-0"}, {"name": "A100", "uuid": "GPU-nid0018-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e16dfb89dfef22d94b517e4bc05425c5250ac5998a4039847d050b7a95622e3d','{"cores": "2,3", "data": null, "devices": "GPU-nid0000-1", "seen": null}');
INSERT INTO "documents" VALUES('e1f2786e72042257da5432989564a04ca39c6f72ea9b80046c7e7dfa5b47ee0a','{"cores": "0,1", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e33c2d1078bcc73c2a0956d281ecb9148468cd6dfc201524865ff5941ada4b07','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0007-0,GPU-nid0007-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-0"}, {"name": "A100", "uuid": "GPU-nid0007-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e8edf7192ae2acf8bb789f9373619487b19e1d23dc76280762c50e3d307ec916','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0023-2,GPU-nid0023-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-2"}, {"name": "A100", "uuid": "GPU-nid0023-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('eaec49af7413714b6b70ee71f7b2674e88459d97317739f61edeac5f08f63518','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-other"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('efa81c97e8bca9686bbe1d88f10d41b462ea650b6b1628075cc5d391034b35ea','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0005-0,GPU-nid0005-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-0"}, {"name": "A100", "uuid": "GPU-nid0005-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('f0e6c1fc84288efdb83889535ea37b8a3348dcadf9ce7b8732bfc3473b6a3b7f','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0020-0,GPU-nid0020-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-0"}, {"name": "A100", "uuid": "GPU-nid0020-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('f182c3aa6374eb9cb2033a6597c15a7c6e5553b193ec875a769b8f51923481d2','{"cores": "6,7", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-3", "seen": {"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('f4ce7356f886db3eec03ff51edbd2e5b94aa786e6ebd8ea3e9f2013cc3a0a026','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0002-0,GPU-nid0002-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-0"}, {"name": "A100", "uuid": "GPU-nid0002-1"}], "precision": "float32", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('f9d7014e49e66cfa1fc163a9968a04bfa6668964869905826f925f0ace7cb434','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0016-2,GPU-nid0016-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-2"}, {"name": "A100", "uuid": "GPU-nid0016-3"}], "precision": "float32", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
CREATE TABLE events (
	event_id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	at_us BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	instance_id INTEGER, 
	attempt_number INTEGER, 
	from_state TEXT, 
	to_state TEXT, 
	message TEXT, 
	subject TEXT, 
	data TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (event_id), 
	CONSTRAINT fk_events_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
);
INSERT INTO "events" VALUES(1,1,1789999999000001,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(2,1,1789999999000002,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-base on login1',NULL,NULL);
INSERT INTO "events" VALUES(3,1,1790000060000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,1,1790000060000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,1,1790000060000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,1,1790000060000411,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(7,1,1790000060000548,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,1,1790000060000685,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,1,1790000060105593,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,1,1790000060111945,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,1,1790000060111352,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(12,1,1790000060110516,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,1,1790000060029694,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,1,1790000060051183,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,1,1790000705010136,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,1,1790000706449828,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(17,1,1790000675760742,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(18,1,1790000674968814,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,1,1790000702084319,'transition',4,1,'running','lost','node failed',NULL,NULL);
INSERT INTO "events" VALUES(20,1,1790000690387847,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(21,1,1790000708432039,'transition',4,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(22,1,1790000708504648,'transition',4,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(23,1,1790001332199849,'transition',4,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(24,1,1790001334190936,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(25,1,1790001334191073,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(26,1,1790001334191210,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(27,1,1790001334191347,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(28,1,1790001334272271,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(29,1,1790001334290779,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(30,1,1790001334259284,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(31,1,1790001334303395,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(32,1,1790001377684964,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(33,1,1790001377328245,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(34,1,1790001378199347,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(35,1,1790001378098349,'transition',9,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(36,1,1790001380183746,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(37,1,1790001380183883,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(38,1,1790001380184020,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(39,1,1790001380184157,'transition',15,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(40,1,1790001380184294,'transition',16,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(41,1,1790001380184431,'transition',17,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(42,1,1790001380255962,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(43,1,1790001380254963,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(44,1,1790001380289557,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(45,1,1790001380262562,'transition',15,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(46,1,1790001380235111,'transition',16,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(47,1,1790001380232289,'transition',17,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(48,1,1790001414017599,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(49,1,1790001414797285,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(50,1,1790001414997066,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(51,1,1790001415181350,'transition',15,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(52,1,1790001414343825,'transition',16,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(53,1,1790001414717236,'transition',17,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(54,1,1790001417162055,'transition',18,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(55,1,1790001417162192,'transition',19,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(56,1,1790001417162329,'transition',20,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(57,1,1790001417162466,'transition',21,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(58,1,1790001417162603,'transition',22,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(59,1,1790001417162740,'transition',23,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(60,1,1790001417260622,'transition',18,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(61,1,1790001417247580,'transition',19,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(62,1,1790001417239862,'transition',20,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(63,1,1790001417271647,'transition',21,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(64,1,1790001417197899,'transition',22,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(65,1,1790001417189623,'transition',23,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(66,1,1790001500400830,'transition',18,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(67,1,1790001500000655,'transition',19,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(68,1,1790001497409308,'transition',20,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(69,1,1790001500085485,'transition',21,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(70,1,1790001498375307,'transition',22,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(71,1,1790001499426247,'transition',23,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(72,1,1789999999000072,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: drained',NULL,NULL);
INSERT INTO "events" VALUES(73,1,1789999999000073,'session_started',NULL,NULL,NULL,NULL,'resume 2 by coral2-base on login2',NULL,NULL);
INSERT INTO "events" VALUES(74,1,1790005103380905,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(75,1,1790005103381042,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(76,1,1790005103445663,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(77,1,1790005103484877,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(78,1,1790005146454479,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(79,1,1790005146347579,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(80,1,1790005148437815,'transition',24,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(81,1,1790005148437952,'transition',25,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(82,1,1790005148438089,'transition',26,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(83,1,1790005148438226,'transition',27,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(84,1,1790005148438363,'transition',28,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(85,1,1790005148438500,'transition',29,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(86,1,1790005148515349,'transition',24,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(87,1,1790005148551273,'transition',25,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(88,1,1790005148536850,'transition',26,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(89,1,1790005148540990,'transition',27,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(90,1,1790005148462385,'transition',28,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(91,1,1790005148506335,'transition',29,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(92,1,1790005203381599,'transition',24,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(93,1,1790005202641129,'transition',25,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(94,1,1790005202477133,'transition',26,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(95,1,1790005201977330,'transition',27,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(96,1,1790005202130200,'transition',28,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(97,1,1790005202981330,'transition',29,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(98,1,1790005205364527,'transition',30,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(99,1,1790005205364664,'transition',31,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(100,1,1790005205364801,'transition',32,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(101,1,1790005205364938,'transition',33,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(102,1,1790005205365075,'transition',34,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(103,1,1790005205365212,'transition',35,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(104,1,1790005205444570,'transition',30,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(105,1,1790005205453339,'transition',31,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(106,1,1790005205464956,'transition',32,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(107,1,1790005205437239,'transition',33,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(108,1,1790005205406648,'transition',34,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(109,1,1790005205398202,'transition',35,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(110,1,1790005306576775,'transition',30,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(111,1,1790005310774986,'transition',31,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(112,1,1790005308996104,'transition',32,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(113,1,1790005311018647,'transition',33,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(114,1,1790005310860661,'transition',34,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(115,1,1790005309930183,'transition',35,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(116,1,1790005312998904,'transition',36,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(117,1,1790005312999041,'transition',37,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(118,1,1790005312999178,'transition',38,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(119,1,1790005312999315,'transition',39,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(120,1,1790005312999452,'transition',40,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(121,1,1790005312999589,'transition',41,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(122,1,1790005313065955,'transition',36,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(123,1,1790005313077920,'transition',37,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(124,1,1790005313072766,'transition',38,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(125,1,1790005313100168,'transition',39,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(126,1,1790005313027638,'transition',40,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(127,1,1790005313021242,'transition',41,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(128,1,1790005342031855,'transition',36,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(129,1,1790005342572685,'transition',37,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(130,1,1790005342568696,'transition',38,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(131,1,1790005342310968,'transition',39,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(132,1,1790005342259120,'transition',40,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(133,1,1790005341974040,'transition',41,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(134,1,1790005344554717,'transition',42,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(135,1,1790005344554854,'transition',43,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(136,1,1790005344554991,'transition',44,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(137,1,1790005344555128,'transition',45,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(138,1,1790005344555265,'transition',46,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(139,1,1790005344555402,'transition',47,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(140,1,1790005344555539,'transition',48,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(141,1,1790005344555676,'transition',49,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(142,1,1790005344555813,'transition',50,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(143,1,1790005344555950,'transition',51,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(144,1,1790005344556087,'transition',52,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(145,1,1790005344556224,'transition',53,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(146,1,1790005344556361,'transition',54,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(147,1,1790005344556498,'transition',55,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(148,1,1790005344556635,'transition',56,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(149,1,1790005344556772,'transition',57,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(150,1,1790005344556909,'transition',58,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(151,1,1790005344557046,'transition',59,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(152,1,1790005344557183,'transition',60,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(153,1,1790005344557320,'transition',61,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(154,1,1790005344557457,'transition',62,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(155,1,1790005344557594,'transition',63,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(156,1,1790005344557731,'transition',64,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(157,1,1790005344557868,'transition',65,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(158,1,1790005344558005,'transition',66,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(159,1,1790005344558142,'transition',67,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(160,1,1790005344558279,'transition',68,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(161,1,1790005344558416,'transition',69,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(162,1,1790005344558553,'transition',70,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(163,1,1790005344558690,'transition',71,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(164,1,1790005344558827,'transition',72,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(165,1,1790005344558964,'transition',73,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(166,1,1790005344559101,'transition',74,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(167,1,1790005344559238,'transition',75,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(168,1,1790005344559375,'transition',76,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(169,1,1790005344559512,'transition',77,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(170,1,1790005344559649,'transition',78,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(171,1,1790005344559786,'transition',79,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(172,1,1790005344559923,'transition',80,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(173,1,1790005344560060,'transition',81,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(174,1,1790005344560197,'transition',82,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(175,1,1790005344560334,'transition',83,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(176,1,1790005344560471,'transition',84,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(177,1,1790005344560608,'transition',85,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(178,1,1790005344560745,'transition',86,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(179,1,1790005344560882,'transition',87,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(180,1,1790005344561019,'transition',88,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(181,1,1790005344561156,'transition',89,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(182,1,1790005344561293,'transition',90,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(183,1,1790005344561430,'transition',91,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(184,1,1790005344657690,'transition',42,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(185,1,1790005344657086,'transition',43,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(186,1,1790005344605238,'transition',44,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(187,1,1790005344605153,'transition',45,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(188,1,1790005344658476,'transition',46,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(189,1,1790005344645795,'transition',47,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(190,1,1790005344605749,'transition',48,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(191,1,1790005344617437,'transition',49,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(192,1,1790005344627056,'transition',50,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(193,1,1790005344644361,'transition',51,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(194,1,1790005344673363,'transition',52,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(195,1,1790005344643892,'transition',53,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(196,1,1790005344605495,'transition',54,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(197,1,1790005344627167,'transition',55,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(198,1,1790005344607751,'transition',56,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(199,1,1790005344570487,'transition',57,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(200,1,1790005344641066,'transition',58,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(201,1,1790005344640141,'transition',59,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(202,1,1790005344584668,'transition',60,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(203,1,1790005344586513,'transition',61,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(204,1,1790005344653329,'transition',62,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(205,1,1790005344674218,'transition',63,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(206,1,1790005344582225,'transition',64,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(207,1,1790005344600524,'transition',65,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(208,1,1790005344602427,'transition',66,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(209,1,1790005344599644,'transition',67,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(210,1,1790005344599409,'transition',68,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(211,1,1790005344593360,'transition',69,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(212,1,1790005344612656,'transition',70,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(213,1,1790005344614961,'transition',71,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(214,1,1790005344629350,'transition',72,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(215,1,1790005344647189,'transition',73,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(216,1,1790005344639410,'transition',74,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(217,1,1790005344641937,'transition',75,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(218,1,1790005344625817,'transition',76,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(219,1,1790005344608325,'transition',77,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(220,1,1790005344630342,'transition',78,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(221,1,1790005344631274,'transition',79,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(222,1,1790005344632371,'transition',80,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(223,1,1790005344635099,'transition',81,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(224,1,1790005344657585,'transition',82,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(225,1,1790005344642384,'transition',83,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(226,1,1790005344615018,'transition',84,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(227,1,1790005344645315,'transition',85,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(228,1,1790005344643538,'transition',86,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(229,1,1790005344672869,'transition',87,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(230,1,1790005344632660,'transition',88,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(231,1,1790005344617424,'transition',89,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(232,1,1790005344627078,'transition',90,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(233,1,1790005344621242,'transition',91,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(234,1,1790006692975485,'transition',42,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(235,1,1790006658008926,'transition',43,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(236,1,1790006657836471,'transition',44,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(237,1,1790006709628890,'transition',45,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(238,1,1790006646884575,'transition',46,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(239,1,1790006714355498,'transition',47,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(240,1,1790006658659538,'transition',48,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(241,1,1790006720388192,'transition',49,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(242,1,1790006676083423,'transition',50,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(243,1,1790006710832714,'transition',51,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(244,1,1790006646302185,'transition',52,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(245,1,1790006697569716,'transition',53,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(246,1,1790006674041375,'transition',54,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(247,1,1790006710737718,'transition',55,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(248,1,1790006657653759,'transition',56,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(249,1,1790006655285291,'transition',57,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(250,1,1790006707512429,'transition',58,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(251,1,1790006668795801,'transition',59,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(252,1,1790006722340815,'transition',60,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(253,1,1790006689842752,'transition',61,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(254,1,1790006704670346,'transition',62,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(255,1,1790006657535037,'transition',63,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(256,1,1790006648793855,'transition',64,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(257,1,1790006656420145,'transition',65,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(258,1,1790006716194191,'transition',66,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(259,1,1790006682082073,'transition',67,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(260,1,1790006696804538,'transition',68,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(261,1,1790006658861972,'transition',69,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(262,1,1790006673454763,'transition',70,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(263,1,1790006647239084,'transition',71,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(264,1,1790006661372956,'transition',72,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(265,1,1790006707470800,'transition',73,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(266,1,1790006689708321,'transition',74,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(267,1,1790006673162720,'transition',75,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(268,1,1790006697085109,'transition',76,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(269,1,1790006719128133,'transition',77,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(270,1,1790006663849753,'transition',78,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(271,1,1790006708718335,'transition',79,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(272,1,1790006679567972,'transition',80,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(273,1,1790006685324976,'transition',81,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(274,1,1790006666590794,'transition',82,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(275,1,1790006684137242,'transition',83,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(276,1,1790006694566134,'transition',84,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(277,1,1790006678366534,'transition',85,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(278,1,1790006663559656,'transition',86,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(279,1,1790006717220291,'transition',87,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(280,1,1790006683014188,'transition',88,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(281,1,1790006710769242,'transition',89,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(282,1,1790006709738070,'transition',90,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(283,1,1790006680126182,'transition',91,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(284,1,1789999999000284,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(285,2,1790086399000285,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(286,2,1790086399000286,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-base-broken on login1',NULL,NULL);
INSERT INTO "events" VALUES(287,2,1790086460000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(288,2,1790086460000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(289,2,1790086460000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(290,2,1790086460040939,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(291,2,1790086460022620,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(292,2,1790086460044865,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(293,2,1790086959349711,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(294,2,1790086978121529,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(295,2,1790086956241859,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(296,2,1790086980157234,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(297,2,1790086980157371,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(298,2,1790086980157508,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(299,2,1790086980165917,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(300,2,1790086980195114,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(301,2,1790086980198252,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(302,2,1790087018589065,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(303,2,1790087018636987,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(304,2,1790087018534090,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(305,2,1790087020673399,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(306,2,1790087020673536,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(307,2,1790087020673673,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(308,2,1790087020704990,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(309,2,1790087020693891,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(310,2,1790087020698167,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(311,2,1790087051795112,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(312,2,1790087052093764,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(313,2,1790087052021883,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(314,2,1790087054128848,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(315,2,1790087054128985,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(316,2,1790087054129122,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(317,2,1790087054153233,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(318,2,1790087054138271,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(319,2,1790087054157264,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(320,2,1790087124035677,'transition',9,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(321,2,1790087122925732,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(322,2,1790087122922811,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(323,2,1790087126074824,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(324,2,1790087126074961,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(325,2,1790087126075098,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(326,2,1790087126114016,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(327,2,1790087126096370,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(328,2,1790087126114866,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(329,2,1790087173015344,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(330,2,1790087173337830,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(331,2,1790087173633759,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(332,2,1790087175669046,'transition',15,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(333,2,1790087175669183,'transition',16,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(334,2,1790087175669320,'transition',17,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(335,2,1790087175722071,'transition',15,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(336,2,1790087175692788,'transition',16,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(337,2,1790087175683563,'transition',17,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(338,2,1790087264249077,'transition',15,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(339,2,1790087260774540,'transition',16,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(340,2,1790087261517774,'transition',17,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(341,2,1790087266286917,'transition',18,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(342,2,1790087266287054,'transition',19,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(343,2,1790087266287191,'transition',20,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(344,2,1790087266338185,'transition',18,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(345,2,1790087266311003,'transition',19,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(346,2,1790087266331664,'transition',20,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(347,2,1790087294165136,'transition',18,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(348,2,1790087293917886,'transition',19,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(349,2,1790087293762831,'transition',20,1,'running','failed','exit code 3',NULL,NULL);
INSERT INTO "events" VALUES(350,2,1790087296202856,'transition',21,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(351,2,1790087296202993,'transition',22,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(352,2,1790087296203130,'transition',23,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(353,2,1790087296225409,'transition',21,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(354,2,1790087296217333,'transition',22,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(355,2,1790087296295385,'transition',23,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(356,2,1790088352280133,'transition',21,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(357,2,1790088344391509,'transition',22,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(358,2,1790088375208187,'transition',23,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(359,2,1790086399000359,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: some instances exhausted',NULL,NULL);
INSERT INTO "events" VALUES(360,3,1790172799000360,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(361,3,1790172799000361,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-base-uncertain on login1',NULL,NULL);
INSERT INTO "events" VALUES(362,3,1790172860000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(363,3,1790172860000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(364,3,1790172860000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(365,3,1790172860000411,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(366,3,1790172860000548,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(367,3,1790172857076667,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(368,3,1790172857070309,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(369,3,1790172857086940,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(370,3,1790172857057955,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(371,3,1790172873303202,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(372,3,1790173497154447,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(373,3,1790173501862019,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(374,3,1790173484480940,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(375,3,1790173478728540,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(376,3,1790173475859883,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(377,3,1790173506866016,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(378,3,1790173506866153,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(379,3,1790173506866290,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(380,3,1790173506866427,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(381,3,1790173506866564,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(382,3,1790173503932946,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(383,3,1790173503907013,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(384,3,1790173503946436,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(385,3,1790173503943760,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(386,3,1790173520193924,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(387,3,1790173605380809,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(388,3,1790173609754204,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(389,3,1790173606588946,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(390,3,1790173608629863,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(391,3,1790173610717804,'transition',9,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(392,3,1790173623471305,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(393,3,1790173623471442,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(394,3,1790173623471579,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(395,3,1790173623471716,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(396,3,1790173623471853,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(397,3,1790173620557153,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(398,3,1790173620549304,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(399,3,1790173620541726,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(400,3,1790173620543421,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(401,3,1790173636806599,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(402,3,1790173650086787,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(403,3,1790173649995638,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(404,3,1790173649523521,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(405,3,1790173649986888,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(406,3,1790173653999764,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(407,3,1790172799000407,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(408,4,1790259199000408,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(409,4,1790259199000409,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-base-clock-set on login1',NULL,NULL);
INSERT INTO "events" VALUES(410,4,1790259260000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(411,4,1790259260000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(412,4,1790259260000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(413,4,1790259260000411,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(414,4,1790259260000548,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(415,4,1790259260062881,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(416,4,1790259260064180,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(417,4,1790259260070718,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(418,4,1790259260081552,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(419,4,1790259260069115,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(420,4,1790259878998146,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(421,4,1790259900863489,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(422,4,1790259876152342,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(423,4,1790259884577939,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(424,4,1790259891383420,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(425,4,1790259902852241,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(426,4,1790259902852378,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(427,4,1790259902852515,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(428,4,1790259902852652,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(429,4,1790259902852789,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(430,4,1790259902927183,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(431,4,1790259902946851,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(432,4,1790259902928350,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(433,4,1790259902930100,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(434,4,1790259906921699,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(435,4,1790260004395271,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(436,4,1790260006506366,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(437,4,1790260007348525,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(438,4,1790260008506084,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(439,4,1790260012254924,'transition',9,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(440,4,1790259199000440,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: died',NULL,NULL);
INSERT INTO "events" VALUES(441,4,1790259199000441,'session_started',NULL,NULL,NULL,NULL,'resume 2 by coral2-base-clock-set on login2',NULL,NULL);
INSERT INTO "events" VALUES(442,4,1790260041491605,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(443,4,1790260041491742,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(444,4,1790260041491879,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(445,4,1790260041492016,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(446,4,1790260041492153,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(447,4,1790260041576262,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(448,4,1790260041594460,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(449,4,1790260041551440,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(450,4,1790260041551263,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(451,4,1790260045530215,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(452,4,1790260070872548,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(453,4,1790260070932657,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(454,4,1790260071170225,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(455,4,1790260071148594,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(456,4,1790260074899334,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(457,4,1790259199000457,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(458,5,1790431999000458,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(459,5,1790431999000459,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-base-adopted on login1',NULL,NULL);
INSERT INTO "events" VALUES(460,5,1790432060000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(461,5,1790432060000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(462,5,1790432060000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(463,5,1790432060057902,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(464,5,1790432060050940,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(465,5,1790432060049714,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(466,5,1790431999000466,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: died',NULL,NULL);
INSERT INTO "events" VALUES(467,5,1790431999000467,'session_started',NULL,NULL,NULL,NULL,'resume 2 by coral2-base-adopted on login2',NULL,NULL);
INSERT INTO "events" VALUES(468,5,1790432706080989,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(469,5,1790432677085945,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(470,5,1790432702473732,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(471,5,1790432704115610,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(472,5,1790432704115747,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(473,5,1790432709150340,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(474,5,1790432709142992,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(475,5,1790432738811590,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(476,5,1790432738533568,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(477,5,1790431999000477,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(478,6,1790518399000478,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(479,6,1790518399000479,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-base-two-clocks on login1',NULL,NULL);
INSERT INTO "events" VALUES(480,6,1790518460000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(481,6,1790518460000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(482,6,1790518460094446,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(483,6,1790518460103177,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(484,6,1790519076720830,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(485,6,1790519073066725,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(486,6,1790518399000486,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: drained',NULL,NULL);
INSERT INTO "events" VALUES(487,6,1790518399000487,'session_started',NULL,NULL,NULL,NULL,'resume 2 by coral2-base-two-clocks on login2',NULL,NULL);
INSERT INTO "events" VALUES(488,6,1790519059700108,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(489,6,1790519059700245,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(490,6,1790519059796851,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(491,6,1790519059798394,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(492,6,1790519089175802,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(493,6,1790519089425365,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(494,6,1790518399000494,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(495,7,1790345599000495,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(496,7,1790345599000496,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-base-p1b1 on login1',NULL,NULL);
INSERT INTO "events" VALUES(497,7,1790345660000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(498,7,1790345660000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(499,7,1790345660000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(500,7,1790345660054758,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(501,7,1790345660069424,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(502,7,1790345660082203,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(503,7,1790346286330372,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(504,7,1790346286068760,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(505,7,1790346309404316,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(506,7,1790345599000506,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: drained',NULL,NULL);
INSERT INTO "events" VALUES(507,7,1790345599000507,'session_started',NULL,NULL,NULL,NULL,'resume 2 by coral2-base-p1b1 on login2',NULL,NULL);
INSERT INTO "events" VALUES(508,7,1790346342403244,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(509,7,1790346342403381,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(510,7,1790346342486209,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(511,7,1790346342480663,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(512,7,1790346986648698,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(513,7,1790346988193165,'transition',4,1,'running','failed','loss is not a number',NULL,NULL);
INSERT INTO "events" VALUES(514,7,1790346990196108,'transition',4,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(515,7,1790346990262752,'transition',4,2,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(516,7,1790347618731195,'transition',4,2,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(517,7,1790345599000517,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(518,1,1795514544247715,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete','session 2','{"ends_sha256": "a1c630995fa48d1c64cfb2f18e8aa274226e72ac0365974b90974b84f85588c8", "events": [5, "f1ef56302a72a6202831a15245365160b41cc1073cd3976a4b3affb49220b492"], "open_blocks": [], "outcome": "complete", "row_parts": ["ce2cb671ab1ebb0f5e9478438b2d76e6dd81fc0a9b1149e3146c5facb4ffa226", "5995a145ef36221c2e8e488ea0ca674195b2d9f8723b6c67d477234cfa20d7ed"], "rows_sha256": "0d21099e5b3112612483c1bbd283602f2f8801908ab6e5b2301bd959636c4067", "session": 2}');
INSERT INTO "events" VALUES(519,2,1795514544266759,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: exhausted','session 1','{"ends_sha256": "75a827dff2597cfe520ffae1a8894d7660d19db884e94a25546e447bbfe0ad90", "events": [3, "d03e80e19da3075f17e1673277c173846df9c0e21aeb8f47493fe48f8a9ae1dd"], "open_blocks": [], "outcome": "exhausted", "row_parts": ["b4bc6807a0e752a61993c692a721b7d1f4a77148c877bfdd3d61f2e583c952a0", "a6859c1b8a0da68742899f41a7e783b130ff039503e61ab19710a4e9bd29aa1f"], "rows_sha256": "e3a63985226c32a54a51da1235a99a9a10a8be515180a7fb4ae7ee2111cd4a47", "session": 1}');
INSERT INTO "events" VALUES(520,3,1795514544272624,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete','session 1','{"ends_sha256": "8a6fc702da3794c72400d400a644e6d02776f80337aeb506c3e6614d51c7e652", "events": [3, "a75119f69ee07aad3b658826002c22da70fd69762b4a54882739d93c423c927c"], "open_blocks": [], "outcome": "complete", "row_parts": ["b0c77d8f9f5596df40bd06541c4dfd84939363dfb849d00b400971fa4e7296bb", "9260d13f61ee79fde8e7afe1b3027d9bc47ab6c5f21e348226de85137ff0f8cd"], "rows_sha256": "dcee4ba4c3aa9fcd13fb468d01e06712bf63a3d7503079a1278ae92e36cc7cec", "session": 1}');
INSERT INTO "events" VALUES(521,4,1795514544285197,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete','session 2','{"ends_sha256": "d946ff2b02b12b5b34cd4eedfd19381243862c34a187576be70ea7cd13ab34f7", "events": [5, "40dfe4dca5f93e517e0bea83b881ddf44422f3a7b65d9953be702e577a2834fa"], "open_blocks": [], "outcome": "complete", "row_parts": ["c0f37cf0cab380c47ec51ee911ee5e40a9cef36c6eada2539c0765ae6fdf955c", "b7ca0aa835028c8962ab7e4dfb65776b8fa46b4d4e6fc9a368f54f3c3f628993"], "rows_sha256": "b6609c100696db061ad82ed05007aa722e0412ccebddec7885d12e62a9a4ebcd", "session": 2}');
INSERT INTO "events" VALUES(522,5,1795514544298106,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete','session 2','{"ends_sha256": "244feddf05cddef1804bf919438aa07c81feeff2193f44b93aae6ffe365faff8", "events": [5, "fda3c0dc8eba2a0f2d8d859f698ccd0be43a64e5df7db18b4836d5225a841e87"], "open_blocks": [], "outcome": "complete", "row_parts": ["bc48aae856a2117242c5bbf34bdaa995cb954200a1a3264902e2f6f952186d26", "fd902275491578b656d129db885d77c6d4a40708303679999f7a101528e94ae0"], "rows_sha256": "818817816be75653d5f27975aac3d0536c800e0650cb425f63b162d32444642d", "session": 2}');
INSERT INTO "events" VALUES(523,6,1795514544313143,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete','session 2','{"ends_sha256": "b95d1d8cf358cfab17f35758d280a3774e76f17b6e5cb2a9a914ac85c7aed1a5", "events": [5, "1a68734a08c9ef80982129ea9d1174d76e8d12ca603c4c5aa9bd2286fa99ce8a"], "open_blocks": [], "outcome": "complete", "row_parts": ["87d663443c3d66b751c924a13face65537366d3e247c67d9ecbd16775753f784", "2c2d44d9ec71fd68c8f6d032fa922d0c5f6508c00be5edbb3f94e2284067e75d"], "rows_sha256": "bd714759fe73883ff7a83097beae99367c4e132bcc578053ea802e9dc854d6f3", "session": 2}');
INSERT INTO "events" VALUES(524,7,1795514544329324,'session_ended',NULL,NULL,NULL,NULL,'session 2 ended: complete','session 2','{"ends_sha256": "6af50b8c4c7d62af7524a205e887d0ac83f9f28ed587ec8fe7db45fcd9f009c8", "events": [5, "fe2249343a8b8e4790bde93779a1e10d0555b262c349461b57fb47751e11a4dd"], "open_blocks": [], "outcome": "complete", "row_parts": ["7553c35d0d939747ce1d5e698ce11873bf2544b06a560a0c082c24b5ae368d99", "6e22a3662011695261d9c7be3bbfb03e47e1d244af5d3210f52ed3a3805dcc1d"], "rows_sha256": "edca9e266b2e6a462414dfa2a62990ad593a67338e9cb30eeba4e389b8bfd12d", "session": 2}');
CREATE TABLE instances (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	benchmark_index INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	accepted_attempt INTEGER, 
	CONSTRAINT pk_instances PRIMARY KEY (campaign_id, instance_id), 
	CONSTRAINT uq_instances_campaign_seed UNIQUE (campaign_id, seed), 
	CONSTRAINT uq_instances_campaign_benchmark_number UNIQUE (campaign_id, benchmark, benchmark_index), 
	CONSTRAINT fk_instances_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "instances" VALUES(1,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(1,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(1,2,'p1b1',2,2019,'done',1);
INSERT INTO "instances" VALUES(1,3,'p1b1',3,2020,'done',1);
INSERT INTO "instances" VALUES(1,4,'p1b1',4,2021,'done',2);
INSERT INTO "instances" VALUES(1,5,'p1b1',5,2022,'done',1);
INSERT INTO "instances" VALUES(1,6,'p3b1',0,2023,'done',1);
INSERT INTO "instances" VALUES(1,7,'p3b1',1,2024,'done',1);
INSERT INTO "instances" VALUES(1,8,'p3b1',2,2025,'done',1);
INSERT INTO "instances" VALUES(1,9,'p3b1',3,2026,'done',1);
INSERT INTO "instances" VALUES(1,10,'p3b1',4,2027,'done',1);
INSERT INTO "instances" VALUES(1,11,'p3b1',5,2028,'done',1);
INSERT INTO "instances" VALUES(1,12,'alexnet',0,2029,'done',1);
INSERT INTO "instances" VALUES(1,13,'alexnet',1,2030,'done',1);
INSERT INTO "instances" VALUES(1,14,'alexnet',2,2031,'done',1);
INSERT INTO "instances" VALUES(1,15,'alexnet',3,2032,'done',1);
INSERT INTO "instances" VALUES(1,16,'alexnet',4,2033,'done',1);
INSERT INTO "instances" VALUES(1,17,'alexnet',5,2034,'done',1);
INSERT INTO "instances" VALUES(1,18,'googlenet',0,2035,'done',1);
INSERT INTO "instances" VALUES(1,19,'googlenet',1,2036,'done',1);
INSERT INTO "instances" VALUES(1,20,'googlenet',2,2037,'done',1);
INSERT INTO "instances" VALUES(1,21,'googlenet',3,2038,'done',1);
INSERT INTO "instances" VALUES(1,22,'googlenet',4,2039,'done',1);
INSERT INTO "instances" VALUES(1,23,'googlenet',5,2040,'done',1);
INSERT INTO "instances" VALUES(1,24,'overfeat',0,2041,'done',1);
INSERT INTO "instances" VALUES(1,25,'overfeat',1,2042,'done',1);
INSERT INTO "instances" VALUES(1,26,'overfeat',2,2043,'done',1);
INSERT INTO "instances" VALUES(1,27,'overfeat',3,2044,'done',1);
INSERT INTO "instances" VALUES(1,28,'overfeat',4,2045,'done',1);
INSERT INTO "instances" VALUES(1,29,'overfeat',5,2046,'done',1);
INSERT INTO "instances" VALUES(1,30,'vgg',0,2047,'done',1);
INSERT INTO "instances" VALUES(1,31,'vgg',1,2048,'done',1);
INSERT INTO "instances" VALUES(1,32,'vgg',2,2049,'done',1);
INSERT INTO "instances" VALUES(1,33,'vgg',3,2050,'done',1);
INSERT INTO "instances" VALUES(1,34,'vgg',4,2051,'done',1);
INSERT INTO "instances" VALUES(1,35,'vgg',5,2052,'done',1);
INSERT INTO "instances" VALUES(1,36,'lstm',0,2053,'done',1);
INSERT INTO "instances" VALUES(1,37,'lstm',1,2054,'done',1);
INSERT INTO "instances" VALUES(1,38,'lstm',2,2055,'done',1);
INSERT INTO "instances" VALUES(1,39,'lstm',3,2056,'done',1);
INSERT INTO "instances" VALUES(1,40,'lstm',4,2057,'done',1);
INSERT INTO "instances" VALUES(1,41,'lstm',5,2058,'done',1);
INSERT INTO "instances" VALUES(1,42,'resnet50',0,2059,'done',1);
INSERT INTO "instances" VALUES(1,43,'resnet50',1,2060,'done',1);
INSERT INTO "instances" VALUES(1,44,'resnet50',2,2061,'done',1);
INSERT INTO "instances" VALUES(1,45,'resnet50',3,2062,'done',1);
INSERT INTO "instances" VALUES(1,46,'resnet50',4,2063,'done',1);
INSERT INTO "instances" VALUES(1,47,'resnet50',5,2064,'done',1);
INSERT INTO "instances" VALUES(1,48,'resnet50',6,2065,'done',1);
INSERT INTO "instances" VALUES(1,49,'resnet50',7,2066,'done',1);
INSERT INTO "instances" VALUES(1,50,'resnet50',8,2067,'done',1);
INSERT INTO "instances" VALUES(1,51,'resnet50',9,2068,'done',1);
INSERT INTO "instances" VALUES(1,52,'resnet50',10,2069,'done',1);
INSERT INTO "instances" VALUES(1,53,'resnet50',11,2070,'done',1);
INSERT INTO "instances" VALUES(1,54,'resnet50',12,2071,'done',1);
INSERT INTO "instances" VALUES(1,55,'resnet50',13,2072,'done',1);
INSERT INTO "instances" VALUES(1,56,'resnet50',14,2073,'done',1);
INSERT INTO "instances" VALUES(1,57,'resnet50',15,2074,'done',1);
INSERT INTO "instances" VALUES(1,58,'resnet50',16,2075,'done',1);
INSERT INTO "instances" VALUES(1,59,'resnet50',17,2076,'done',1);
INSERT INTO "instances" VALUES(1,60,'resnet50',18,2077,'done',1);
INSERT INTO "instances" VALUES(1,61,'resnet50',19,2078,'done',1);
INSERT INTO "instances" VALUES(1,62,'resnet50',20,2079,'done',1);
INSERT INTO "instances" VALUES(1,63,'resnet50',21,2080,'done',1);
INSERT INTO "instances" VALUES(1,64,'resnet50',22,2081,'done',1);
INSERT INTO "instances" VALUES(1,65,'resnet50',23,2082,'done',1);
INSERT INTO "instances" VALUES(1,66,'resnet50',24,2083,'done',1);
INSERT INTO "instances" VALUES(1,67,'resnet50',25,2084,'done',1);
INSERT INTO "instances" VALUES(1,68,'resnet50',26,2085,'done',1);
INSERT INTO "instances" VALUES(1,69,'resnet50',27,2086,'done',1);
INSERT INTO "instances" VALUES(1,70,'resnet50',28,2087,'done',1);
INSERT INTO "instances" VALUES(1,71,'resnet50',29,2088,'done',1);
INSERT INTO "instances" VALUES(1,72,'resnet50',30,2089,'done',1);
INSERT INTO "instances" VALUES(1,73,'resnet50',31,2090,'done',1);
INSERT INTO "instances" VALUES(1,74,'resnet50',32,2091,'done',1);
INSERT INTO "instances" VALUES(1,75,'resnet50',33,2092,'done',1);
INSERT INTO "instances" VALUES(1,76,'resnet50',34,2093,'done',1);
INSERT INTO "instances" VALUES(1,77,'resnet50',35,2094,'done',1);
INSERT INTO "instances" VALUES(1,78,'resnet50',36,2095,'done',1);
INSERT INTO "instances" VALUES(1,79,'resnet50',37,2096,'done',1);
INSERT INTO "instances" VALUES(1,80,'resnet50',38,2097,'done',1);
INSERT INTO "instances" VALUES(1,81,'resnet50',39,2098,'done',1);
INSERT INTO "instances" VALUES(1,82,'resnet50',40,2099,'done',1);
INSERT INTO "instances" VALUES(1,83,'resnet50',41,2100,'done',1);
INSERT INTO "instances" VALUES(1,84,'resnet50',42,2101,'done',1);
INSERT INTO "instances" VALUES(1,85,'resnet50',43,2102,'done',1);
INSERT INTO "instances" VALUES(1,86,'resnet50',44,2103,'done',1);
INSERT INTO "instances" VALUES(1,87,'resnet50',45,2104,'done',1);
INSERT INTO "instances" VALUES(1,88,'resnet50',46,2105,'done',1);
INSERT INTO "instances" VALUES(1,89,'resnet50',47,2106,'done',1);
INSERT INTO "instances" VALUES(1,90,'resnet50',48,2107,'done',1);
INSERT INTO "instances" VALUES(1,91,'resnet50',49,2108,'done',1);
INSERT INTO "instances" VALUES(2,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(2,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(2,2,'p1b1',2,2019,'done',1);
INSERT INTO "instances" VALUES(2,3,'p3b1',0,2020,'done',1);
INSERT INTO "instances" VALUES(2,4,'p3b1',1,2021,'done',1);
INSERT INTO "instances" VALUES(2,5,'p3b1',2,2022,'done',1);
INSERT INTO "instances" VALUES(2,6,'alexnet',0,2023,'done',1);
INSERT INTO "instances" VALUES(2,7,'alexnet',1,2024,'done',1);
INSERT INTO "instances" VALUES(2,8,'alexnet',2,2025,'done',1);
INSERT INTO "instances" VALUES(2,9,'googlenet',0,2026,'done',1);
INSERT INTO "instances" VALUES(2,10,'googlenet',1,2027,'done',1);
INSERT INTO "instances" VALUES(2,11,'googlenet',2,2028,'done',1);
INSERT INTO "instances" VALUES(2,12,'overfeat',0,2029,'done',1);
INSERT INTO "instances" VALUES(2,13,'overfeat',1,2030,'done',1);
INSERT INTO "instances" VALUES(2,14,'overfeat',2,2031,'done',1);
INSERT INTO "instances" VALUES(2,15,'vgg',0,2032,'done',1);
INSERT INTO "instances" VALUES(2,16,'vgg',1,2033,'done',1);
INSERT INTO "instances" VALUES(2,17,'vgg',2,2034,'done',1);
INSERT INTO "instances" VALUES(2,18,'lstm',0,2035,'done',1);
INSERT INTO "instances" VALUES(2,19,'lstm',1,2036,'done',1);
INSERT INTO "instances" VALUES(2,20,'lstm',2,2037,'exhausted',NULL);
INSERT INTO "instances" VALUES(2,21,'resnet50',0,2038,'done',1);
INSERT INTO "instances" VALUES(2,22,'resnet50',1,2039,'done',1);
INSERT INTO "instances" VALUES(2,23,'resnet50',2,2040,'done',1);
INSERT INTO "instances" VALUES(3,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(3,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(3,2,'p1b1',2,2019,'done',1);
INSERT INTO "instances" VALUES(3,3,'p1b1',3,2020,'done',1);
INSERT INTO "instances" VALUES(3,4,'p1b1',4,2021,'done',1);
INSERT INTO "instances" VALUES(3,5,'vgg',0,2022,'done',1);
INSERT INTO "instances" VALUES(3,6,'vgg',1,2023,'done',1);
INSERT INTO "instances" VALUES(3,7,'vgg',2,2024,'done',1);
INSERT INTO "instances" VALUES(3,8,'vgg',3,2025,'done',1);
INSERT INTO "instances" VALUES(3,9,'vgg',4,2026,'done',1);
INSERT INTO "instances" VALUES(3,10,'lstm',0,2027,'done',1);
INSERT INTO "instances" VALUES(3,11,'lstm',1,2028,'done',1);
INSERT INTO "instances" VALUES(3,12,'lstm',2,2029,'done',1);
INSERT INTO "instances" VALUES(3,13,'lstm',3,2030,'done',1);
INSERT INTO "instances" VALUES(3,14,'lstm',4,2031,'done',1);
INSERT INTO "instances" VALUES(4,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(4,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(4,2,'p1b1',2,2019,'done',1);
INSERT INTO "instances" VALUES(4,3,'p1b1',3,2020,'done',1);
INSERT INTO "instances" VALUES(4,4,'p1b1',4,2021,'done',1);
INSERT INTO "instances" VALUES(4,5,'vgg',0,2022,'done',1);
INSERT INTO "instances" VALUES(4,6,'vgg',1,2023,'done',1);
INSERT INTO "instances" VALUES(4,7,'vgg',2,2024,'done',1);
INSERT INTO "instances" VALUES(4,8,'vgg',3,2025,'done',1);
INSERT INTO "instances" VALUES(4,9,'vgg',4,2026,'done',1);
INSERT INTO "instances" VALUES(4,10,'lstm',0,2027,'done',1);
INSERT INTO "instances" VALUES(4,11,'lstm',1,2028,'done',1);
INSERT INTO "instances" VALUES(4,12,'lstm',2,2029,'done',1);
INSERT INTO "instances" VALUES(4,13,'lstm',3,2030,'done',1);
INSERT INTO "instances" VALUES(4,14,'lstm',4,2031,'done',1);
INSERT INTO "instances" VALUES(5,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(5,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(5,2,'p1b1',2,2019,'done',1);
INSERT INTO "instances" VALUES(5,3,'lstm',0,2020,'done',1);
INSERT INTO "instances" VALUES(5,4,'lstm',1,2021,'done',1);
INSERT INTO "instances" VALUES(6,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(6,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(6,2,'lstm',0,2019,'done',1);
INSERT INTO "instances" VALUES(6,3,'lstm',1,2020,'done',1);
INSERT INTO "instances" VALUES(7,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(7,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(7,2,'p1b1',2,2019,'done',1);
INSERT INTO "instances" VALUES(7,3,'p1b1',3,2020,'done',1);
INSERT INTO "instances" VALUES(7,4,'p1b1',4,2021,'done',2);
CREATE TABLE metrics (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value FLOAT, 
	unit TEXT NOT NULL, 
	CONSTRAINT pk_metrics PRIMARY KEY (campaign_id, instance_id, attempt_number, name), 
	CONSTRAINT fk_metrics_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
INSERT INTO "metrics" VALUES(1,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,0,1,'loss',0.652232,'');
INSERT INTO "metrics" VALUES(1,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,1,1,'loss',0.83648,'');
INSERT INTO "metrics" VALUES(1,2,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,2,1,'loss',0.276495,'');
INSERT INTO "metrics" VALUES(1,3,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,3,1,'loss',0.28144,'');
INSERT INTO "metrics" VALUES(1,4,2,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,4,2,'loss',0.262908,'');
INSERT INTO "metrics" VALUES(1,5,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,5,1,'loss',0.300317,'');
INSERT INTO "metrics" VALUES(1,6,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,6,1,'loss',0.195974,'');
INSERT INTO "metrics" VALUES(1,7,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,7,1,'loss',0.392588,'');
INSERT INTO "metrics" VALUES(1,8,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,8,1,'loss',0.509313,'');
INSERT INTO "metrics" VALUES(1,9,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,9,1,'loss',0.1202,'');
INSERT INTO "metrics" VALUES(1,10,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,10,1,'loss',0.333232,'');
INSERT INTO "metrics" VALUES(1,11,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,11,1,'loss',0.419369,'');
INSERT INTO "metrics" VALUES(1,12,1,'loss',0.60372,'');
INSERT INTO "metrics" VALUES(1,13,1,'loss',0.351993,'');
INSERT INTO "metrics" VALUES(1,14,1,'loss',0.232074,'');
INSERT INTO "metrics" VALUES(1,15,1,'loss',0.52803,'');
INSERT INTO "metrics" VALUES(1,16,1,'loss',0.129531,'');
INSERT INTO "metrics" VALUES(1,17,1,'loss',0.464848,'');
INSERT INTO "metrics" VALUES(1,18,1,'loss',0.582416,'');
INSERT INTO "metrics" VALUES(1,19,1,'loss',0.476268,'');
INSERT INTO "metrics" VALUES(1,20,1,'loss',0.305378,'');
INSERT INTO "metrics" VALUES(1,21,1,'loss',0.484937,'');
INSERT INTO "metrics" VALUES(1,22,1,'loss',0.306355,'');
INSERT INTO "metrics" VALUES(1,23,1,'loss',0.661686,'');
INSERT INTO "metrics" VALUES(1,24,1,'loss',0.799975,'');
INSERT INTO "metrics" VALUES(1,25,1,'loss',0.556132,'');
INSERT INTO "metrics" VALUES(1,26,1,'loss',0.492182,'');
INSERT INTO "metrics" VALUES(1,27,1,'loss',0.613507,'');
INSERT INTO "metrics" VALUES(1,28,1,'loss',0.748361,'');
INSERT INTO "metrics" VALUES(1,29,1,'loss',0.76657,'');
INSERT INTO "metrics" VALUES(1,30,1,'loss',0.137938,'');
INSERT INTO "metrics" VALUES(1,31,1,'loss',0.619851,'');
INSERT INTO "metrics" VALUES(1,32,1,'loss',0.287026,'');
INSERT INTO "metrics" VALUES(1,33,1,'loss',0.458647,'');
INSERT INTO "metrics" VALUES(1,34,1,'loss',0.135256,'');
INSERT INTO "metrics" VALUES(1,35,1,'loss',0.80599,'');
INSERT INTO "metrics" VALUES(1,36,1,'loss',0.885543,'');
INSERT INTO "metrics" VALUES(1,37,1,'loss',0.42503,'');
INSERT INTO "metrics" VALUES(1,38,1,'loss',0.723981,'');
INSERT INTO "metrics" VALUES(1,39,1,'loss',0.603725,'');
INSERT INTO "metrics" VALUES(1,40,1,'loss',0.835168,'');
INSERT INTO "metrics" VALUES(1,41,1,'loss',0.100016,'');
INSERT INTO "metrics" VALUES(1,42,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,42,1,'loss',0.298264,'');
INSERT INTO "metrics" VALUES(1,43,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,43,1,'loss',0.59689,'');
INSERT INTO "metrics" VALUES(1,44,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,44,1,'loss',0.664444,'');
INSERT INTO "metrics" VALUES(1,45,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,45,1,'loss',0.154313,'');
INSERT INTO "metrics" VALUES(1,46,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,46,1,'loss',0.250318,'');
INSERT INTO "metrics" VALUES(1,47,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,47,1,'loss',0.173318,'');
INSERT INTO "metrics" VALUES(1,48,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,48,1,'loss',0.280632,'');
INSERT INTO "metrics" VALUES(1,49,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,49,1,'loss',0.426019,'');
INSERT INTO "metrics" VALUES(1,50,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,50,1,'loss',0.209646,'');
INSERT INTO "metrics" VALUES(1,51,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,51,1,'loss',0.203177,'');
INSERT INTO "metrics" VALUES(1,52,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,52,1,'loss',0.159905,'');
INSERT INTO "metrics" VALUES(1,53,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,53,1,'loss',0.465013,'');
INSERT INTO "metrics" VALUES(1,54,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,54,1,'loss',0.809652,'');
INSERT INTO "metrics" VALUES(1,55,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,55,1,'loss',0.20656,'');
INSERT INTO "metrics" VALUES(1,56,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,56,1,'loss',0.617901,'');
INSERT INTO "metrics" VALUES(1,57,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,57,1,'loss',0.190378,'');
INSERT INTO "metrics" VALUES(1,58,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,58,1,'loss',0.332188,'');
INSERT INTO "metrics" VALUES(1,59,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,59,1,'loss',0.887496,'');
INSERT INTO "metrics" VALUES(1,60,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,60,1,'loss',0.447603,'');
INSERT INTO "metrics" VALUES(1,61,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,61,1,'loss',0.396571,'');
INSERT INTO "metrics" VALUES(1,62,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,62,1,'loss',0.877427,'');
INSERT INTO "metrics" VALUES(1,63,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,63,1,'loss',0.821893,'');
INSERT INTO "metrics" VALUES(1,64,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,64,1,'loss',0.156092,'');
INSERT INTO "metrics" VALUES(1,65,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,65,1,'loss',0.336508,'');
INSERT INTO "metrics" VALUES(1,66,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,66,1,'loss',0.709678,'');
INSERT INTO "metrics" VALUES(1,67,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,67,1,'loss',0.679078,'');
INSERT INTO "metrics" VALUES(1,68,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,68,1,'loss',0.572363,'');
INSERT INTO "metrics" VALUES(1,69,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,69,1,'loss',0.70066,'');
INSERT INTO "metrics" VALUES(1,70,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,70,1,'loss',0.584121,'');
INSERT INTO "metrics" VALUES(1,71,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,71,1,'loss',0.304379,'');
INSERT INTO "metrics" VALUES(1,72,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,72,1,'loss',0.732685,'');
INSERT INTO "metrics" VALUES(1,73,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,73,1,'loss',0.637631,'');
INSERT INTO "metrics" VALUES(1,74,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,74,1,'loss',0.859452,'');
INSERT INTO "metrics" VALUES(1,75,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,75,1,'loss',0.180369,'');
INSERT INTO "metrics" VALUES(1,76,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,76,1,'loss',0.714766,'');
INSERT INTO "metrics" VALUES(1,77,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,77,1,'loss',0.323636,'');
INSERT INTO "metrics" VALUES(1,78,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,78,1,'loss',0.566022,'');
INSERT INTO "metrics" VALUES(1,79,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,79,1,'loss',0.849079,'');
INSERT INTO "metrics" VALUES(1,80,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,80,1,'loss',0.819228,'');
INSERT INTO "metrics" VALUES(1,81,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,81,1,'loss',0.771578,'');
INSERT INTO "metrics" VALUES(1,82,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,82,1,'loss',0.399261,'');
INSERT INTO "metrics" VALUES(1,83,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,83,1,'loss',0.496588,'');
INSERT INTO "metrics" VALUES(1,84,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,84,1,'loss',0.788054,'');
INSERT INTO "metrics" VALUES(1,85,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,85,1,'loss',0.257764,'');
INSERT INTO "metrics" VALUES(1,86,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,86,1,'loss',0.743583,'');
INSERT INTO "metrics" VALUES(1,87,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,87,1,'loss',0.735649,'');
INSERT INTO "metrics" VALUES(1,88,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,88,1,'loss',0.494425,'');
INSERT INTO "metrics" VALUES(1,89,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,89,1,'loss',0.612867,'');
INSERT INTO "metrics" VALUES(1,90,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,90,1,'loss',0.566972,'');
INSERT INTO "metrics" VALUES(1,91,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,91,1,'loss',0.672246,'');
INSERT INTO "metrics" VALUES(2,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(2,0,1,'loss',0.668209,'');
INSERT INTO "metrics" VALUES(2,1,1,'epochs_run',61.0,'');
INSERT INTO "metrics" VALUES(2,1,1,'loss',0.119993,'');
INSERT INTO "metrics" VALUES(2,2,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(2,2,1,'loss',0.225124,'');
INSERT INTO "metrics" VALUES(2,3,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(2,3,1,'loss',0.476703,'');
INSERT INTO "metrics" VALUES(2,4,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(2,4,1,'loss',0.733934,'');
INSERT INTO "metrics" VALUES(2,5,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(2,5,1,'loss',0.258197,'');
INSERT INTO "metrics" VALUES(2,6,1,'loss',0.344869,'');
INSERT INTO "metrics" VALUES(2,7,1,'loss',0.541294,'');
INSERT INTO "metrics" VALUES(2,8,1,'loss',0.691485,'');
INSERT INTO "metrics" VALUES(2,9,1,'loss',0.370708,'');
INSERT INTO "metrics" VALUES(2,10,1,'loss',0.271253,'');
INSERT INTO "metrics" VALUES(2,11,1,'loss',0.499075,'');
INSERT INTO "metrics" VALUES(2,12,1,'loss',0.826091,'');
INSERT INTO "metrics" VALUES(2,13,1,'loss',0.68194,'');
INSERT INTO "metrics" VALUES(2,14,1,'loss',0.234383,'');
INSERT INTO "metrics" VALUES(2,15,1,'loss',0.528407,'');
INSERT INTO "metrics" VALUES(2,16,1,'loss',0.658976,'');
INSERT INTO "metrics" VALUES(2,17,1,'loss',0.719306,'');
INSERT INTO "metrics" VALUES(2,18,1,'loss',0.325253,'');
INSERT INTO "metrics" VALUES(2,19,1,'loss',0.206962,'');
INSERT INTO "metrics" VALUES(2,21,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,21,1,'loss',0.433804,'');
INSERT INTO "metrics" VALUES(2,21,1,'resumed_from_epoch',12.0,'');
INSERT INTO "metrics" VALUES(2,22,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,22,1,'loss',0.227362,'');
INSERT INTO "metrics" VALUES(2,23,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,23,1,'loss',0.119832,'');
INSERT INTO "metrics" VALUES(3,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(3,0,1,'loss',0.773009,'');
INSERT INTO "metrics" VALUES(3,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(3,1,1,'loss',0.416194,'');
INSERT INTO "metrics" VALUES(3,2,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(3,2,1,'loss',0.436623,'');
INSERT INTO "metrics" VALUES(3,3,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(3,3,1,'loss',0.306645,'');
INSERT INTO "metrics" VALUES(3,4,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(3,4,1,'loss',0.787028,'');
INSERT INTO "metrics" VALUES(3,5,1,'loss',0.470772,'');
INSERT INTO "metrics" VALUES(3,6,1,'loss',0.364419,'');
INSERT INTO "metrics" VALUES(3,7,1,'loss',0.10745,'');
INSERT INTO "metrics" VALUES(3,8,1,'loss',0.504844,'');
INSERT INTO "metrics" VALUES(3,9,1,'loss',0.441559,'');
INSERT INTO "metrics" VALUES(3,10,1,'loss',0.50684,'');
INSERT INTO "metrics" VALUES(3,11,1,'loss',0.72177,'');
INSERT INTO "metrics" VALUES(3,12,1,'loss',0.806441,'');
INSERT INTO "metrics" VALUES(3,13,1,'loss',0.274712,'');
INSERT INTO "metrics" VALUES(3,14,1,'loss',0.519348,'');
INSERT INTO "metrics" VALUES(4,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(4,0,1,'loss',0.459401,'');
INSERT INTO "metrics" VALUES(4,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(4,1,1,'loss',0.443806,'');
INSERT INTO "metrics" VALUES(4,2,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(4,2,1,'loss',0.595746,'');
INSERT INTO "metrics" VALUES(4,3,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(4,3,1,'loss',0.381206,'');
INSERT INTO "metrics" VALUES(4,4,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(4,4,1,'loss',0.103089,'');
INSERT INTO "metrics" VALUES(4,5,1,'loss',0.158231,'');
INSERT INTO "metrics" VALUES(4,6,1,'loss',0.159291,'');
INSERT INTO "metrics" VALUES(4,7,1,'loss',0.691077,'');
INSERT INTO "metrics" VALUES(4,8,1,'loss',0.502437,'');
INSERT INTO "metrics" VALUES(4,9,1,'loss',0.719006,'');
INSERT INTO "metrics" VALUES(4,10,1,'loss',0.751287,'');
INSERT INTO "metrics" VALUES(4,11,1,'loss',0.763687,'');
INSERT INTO "metrics" VALUES(4,12,1,'loss',0.729715,'');
INSERT INTO "metrics" VALUES(4,13,1,'loss',0.559567,'');
INSERT INTO "metrics" VALUES(4,14,1,'loss',0.338413,'');
INSERT INTO "metrics" VALUES(5,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(5,0,1,'loss',0.109578,'');
INSERT INTO "metrics" VALUES(5,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(5,1,1,'loss',0.801228,'');
INSERT INTO "metrics" VALUES(5,2,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(5,2,1,'loss',0.800348,'');
INSERT INTO "metrics" VALUES(5,3,1,'loss',0.193098,'');
INSERT INTO "metrics" VALUES(5,4,1,'loss',0.530747,'');
INSERT INTO "metrics" VALUES(6,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(6,0,1,'loss',0.877099,'');
INSERT INTO "metrics" VALUES(6,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(6,1,1,'loss',0.711448,'');
INSERT INTO "metrics" VALUES(6,2,1,'loss',0.437745,'');
INSERT INTO "metrics" VALUES(6,3,1,'loss',0.196427,'');
INSERT INTO "metrics" VALUES(7,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(7,0,1,'loss',0.299307,'');
INSERT INTO "metrics" VALUES(7,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(7,1,1,'loss',0.711851,'');
INSERT INTO "metrics" VALUES(7,2,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(7,2,1,'loss',0.755131,'');
INSERT INTO "metrics" VALUES(7,3,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(7,3,1,'loss',0.85851,'');
INSERT INTO "metrics" VALUES(7,4,2,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(7,4,2,'loss',0.302857,'');
CREATE TABLE points (
	campaign_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	axis TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	sweep TEXT NOT NULL, 
	value TEXT NOT NULL, 
	number FLOAT, 
	CONSTRAINT pk_points PRIMARY KEY (campaign_id, benchmark, axis), 
	CONSTRAINT fk_points_campaign_id_benchmark FOREIGN KEY(campaign_id, benchmark) REFERENCES benchmarks (campaign_id, benchmark)
)
 WITHOUT ROWID

;
CREATE TABLE samples (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	quantity TEXT NOT NULL, 
	node TEXT NOT NULL, 
	device TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	source TEXT NOT NULL, 
	begin_us BIGINT NOT NULL, 
	points TEXT NOT NULL, 
	CONSTRAINT pk_samples PRIMARY KEY (campaign_id, instance_id, attempt_number, quantity, node, device), 
	CONSTRAINT fk_samples_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
CREATE TABLE sessions (
	campaign_id INTEGER NOT NULL, 
	session_number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	version TEXT NOT NULL, 
	slots INTEGER, 
	started_us BIGINT NOT NULL, 
	ended_us BIGINT, 
	outcome TEXT, 
	CONSTRAINT pk_sessions PRIMARY KEY (campaign_id, session_number), 
	CONSTRAINT fk_sessions_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "sessions" VALUES(1,1,'launch','login1',4711,'0.1.0',128,1790000059000000,1790001503380905,'drained');
INSERT INTO "sessions" VALUES(1,2,'resume','login2',4711,'0.1.0',128,1790005102380905,1790006725360447,'complete');
INSERT INTO "sessions" VALUES(2,1,'launch','login1',4711,'0.1.0',128,1790086459000000,1790088378190901,'exhausted');
INSERT INTO "sessions" VALUES(3,1,'launch','login1',4711,'0.1.0',128,1790172859000000,1790173667753723,'complete');
INSERT INTO "sessions" VALUES(4,1,'launch','login1',4711,'0.1.0',128,1790259259000000,1790260011491605,'driver_died');
INSERT INTO "sessions" VALUES(4,2,'resume','login2',4711,'0.1.0',128,1790260040491605,1790260074159632,'complete');
INSERT INTO "sessions" VALUES(5,1,'launch','login1',4711,'0.1.0',128,1790432059000000,1790432702115610,'driver_died');
INSERT INTO "sessions" VALUES(5,2,'resume','login2',4711,'0.1.0',128,1790432701615610,1790432736845293,'complete');
INSERT INTO "sessions" VALUES(6,1,'launch','login1',4711,'0.1.0',128,1790518459000000,1790519079700108,'drained');
INSERT INTO "sessions" VALUES(6,2,'resume','login2',4711,'0.1.0',128,1790519058700108,1790519092407592,'complete');
INSERT INTO "sessions" VALUES(7,1,'launch','login1',4711,'0.1.0',128,1790345659000000,1790346312403244,'drained');
INSERT INTO "sessions" VALUES(7,2,'resume','login2',4711,'0.1.0',128,1790346341403244,1790347621729384,'complete');
CREATE INDEX ix_instances_campaign_state_benchmark ON instances (campaign_id, state, benchmark);
CREATE INDEX ix_events_noted ON events (campaign_id, event_id) WHERE kind <> 'transition';
CREATE INDEX ix_events_superseded ON events (campaign_id, instance_id) WHERE kind = 'instance_superseded';
CREATE INDEX ix_events_campaign_instance ON events (campaign_id, instance_id);
CREATE INDEX ix_events_campaign_kind ON events (campaign_id, kind) WHERE kind <> 'transition';
CREATE INDEX ix_attempts_state_campaign ON attempts (state, campaign_id);
CREATE INDEX ix_attempts_campaign_reason ON attempts (campaign_id, failure_reason) WHERE failure_reason IS NOT NULL;
CREATE INDEX ix_attempts_judged ON attempts (campaign_id, observation_sha256, session_number, node, state, fom_seconds, accuracy, run_start_us, run_stop_us, timed_window_start_us, timed_window_stop_us, submitted_us, process_start_us, process_stop_us, received_us, clock_offset_max_us, cpu_seconds, run_start_arrived_us, timed_window_start_arrived_us, timed_window_stop_arrived_us, run_stop_arrived_us, run_start_cpu_seconds, timed_window_stop_cpu_seconds, run_stop_cpu_seconds, clock_offset_min_us) WHERE received_us IS NOT NULL;
CREATE INDEX ix_metrics_judged ON metrics (campaign_id, name, value, instance_id, attempt_number) WHERE name IN ('epochs_run', 'resumed_from_epoch');
CREATE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.benchmark_index, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id
  AND i.accepted_attempt = a.attempt_number
JOIN campaigns c ON c.campaign_id = a.campaign_id;
CREATE VIEW counted AS
SELECT * FROM accepted a
WHERE NOT EXISTS (
  SELECT 1 FROM events e
  WHERE e.campaign_id = a.campaign_id AND e.instance_id = a.instance_id AND e.kind = 'instance_superseded'
);
CREATE TRIGGER attempts_final BEFORE UPDATE ON attempts WHEN OLD.state IN ('succeeded', 'failed', 'timed_out', 'lost', 'cancelled') BEGIN SELECT RAISE(ABORT, 'a final attempt never changes'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'attempts are never deleted'); END;
CREATE TRIGGER instances_accepted BEFORE UPDATE ON instances WHEN OLD.accepted_attempt IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an instance is accepted once'); END;
CREATE TRIGGER metrics_unchanged BEFORE UPDATE ON metrics WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'metrics are never changed'); END;
CREATE TRIGGER metrics_kept BEFORE DELETE ON metrics WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'metrics are never deleted'); END;
CREATE TRIGGER samples_unchanged BEFORE UPDATE ON samples WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'samples are never changed'); END;
CREATE TRIGGER samples_kept BEFORE DELETE ON samples WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'samples are never deleted'); END;
CREATE TRIGGER curves_unchanged BEFORE UPDATE ON curves WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'curves are never changed'); END;
CREATE TRIGGER curves_kept BEFORE DELETE ON curves WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'curves are never deleted'); END;
CREATE TRIGGER events_unchanged BEFORE UPDATE ON events WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_kept BEFORE DELETE ON events WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER attempts_not_replaced BEFORE INSERT ON attempts WHEN EXISTS (SELECT 1 FROM attempts WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number) OR EXISTS (SELECT 1 FROM attempts WHERE token = NEW.token) BEGIN SELECT RAISE(ABORT, 'attempts: this row is there already'); END;
CREATE TRIGGER instances_not_replaced BEFORE INSERT ON instances WHEN EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id) OR EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND seed = NEW.seed) OR EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND benchmark = NEW.benchmark AND benchmark_index = NEW.benchmark_index) BEGIN SELECT RAISE(ABORT, 'instances: this row is there already'); END;
CREATE TRIGGER metrics_not_replaced BEFORE INSERT ON metrics WHEN EXISTS (SELECT 1 FROM metrics WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'metrics: this row is there already'); END;
CREATE TRIGGER samples_not_replaced BEFORE INSERT ON samples WHEN EXISTS (SELECT 1 FROM samples WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND quantity = NEW.quantity AND node = NEW.node AND device = NEW.device) BEGIN SELECT RAISE(ABORT, 'samples: this row is there already'); END;
CREATE TRIGGER curves_not_replaced BEFORE INSERT ON curves WHEN EXISTS (SELECT 1 FROM curves WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'curves: this row is there already'); END;
CREATE TRIGGER events_not_replaced BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE event_id = NEW.event_id) BEGIN SELECT RAISE(ABORT, 'events: this row is there already'); END;
COMMIT;
